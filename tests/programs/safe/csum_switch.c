// What C says of switch: the checksum is what two compilers compute.
#include <assert.h>

static unsigned act(unsigned op, unsigned x)
{
    switch (op) {
    case 0: x += 11;
    case 1: x ^= 0x5a5a; break;
    case 2: x = x << 3 | x >> 29; break;
    case 5: return ~x;
    case 9: x--;
    default: x *= 3;
    }
    return x;
}
static unsigned checksum(void)
{
    unsigned x = 1;
    for (unsigned i = 0; i < 40; i++)
        x = act((x ^ i) % 11, x);
    return x;
}

int main(void)
{
    assert(checksum() == 2284216718u);
    return 0;
}
