// What C says of shifts: the checksum is what two compilers compute.
#include <assert.h>

static unsigned mix(unsigned x) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; return x; }
static unsigned checksum(void)
{
    unsigned sum = 2463534242u;
    for (int i = 0; i < 20; i++)
        sum = mix(sum + (unsigned)i) ^ (unsigned)((int)sum >> (i % 7));
    return sum;
}

int main(void)
{
    assert(checksum() == 3141272570u);
    return 0;
}
