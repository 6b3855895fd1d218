// What C says of the bytes of structures: the checksum is what two compilers compute.
#include <assert.h>
#include <string.h>

struct record { char tag; int number; short pair[2]; };
static unsigned checksum(void)
{
    struct record from[3], to[3];
    memset(from, 0, sizeof from);
    for (int i = 0; i < 3; i++) {
        from[i].tag = (char)('a' + i);
        from[i].number = i * 1000003;
        from[i].pair[i % 2] = (short)(-i);
    }
    memcpy(to, from + 1, 2 * sizeof *from);
    memmove(from + 1, from, 2 * sizeof *from);
    memcpy(&to[2], &from[2], sizeof *to);
    unsigned sum = 1;
    const unsigned char *bytes = (const unsigned char *)to;
    for (unsigned i = 0; i < sizeof to; i++)
        sum = sum * 257 + bytes[i];
    return sum ^ (unsigned)from[1].number;
}

int main(void)
{
    assert(checksum() == 2167652465u);
    return 0;
}
