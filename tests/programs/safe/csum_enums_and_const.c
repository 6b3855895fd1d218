// What C says of enumerations and constants: the checksum is what two compilers compute.
#include <assert.h>

enum colour { RED = -2, GREEN, BLUE = 40, LAST = BLUE + 3 };
static const struct { enum colour c; const char *name; } table[] = {{RED, "red"}, {GREEN, "green"}, {BLUE, "blue"}, {LAST, ""}};
static unsigned checksum(void)
{
    unsigned sum = 3;
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        enum colour c = table[i].c;
        sum = sum * 41 + (unsigned)c + (unsigned)table[i].name[0];
        sum ^= (c < 0 ? 0xff00u : 0xffu) << i;
    }
    return sum;
}

int main(void)
{
    assert(checksum() == 223174578u);
    return 0;
}
