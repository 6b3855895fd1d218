// What C says of wide arithmetic: the checksum is what two compilers compute.
#include <assert.h>

static unsigned checksum(void)
{
    unsigned long long a = 1, b = 0x9e3779b97f4a7c15ULL;
    long long c = -3;
    for (int i = 1; i < 30; i++) {
        a = a * 6364136223846793005ULL + b;
        c = (c - (long long)(a >> 33)) / (i + 1);
        b ^= (unsigned long long)c << (i % 13);
        b = b % (a | 1);
    }
    return (unsigned)(a >> 32) ^ (unsigned)a ^ (unsigned)c ^ (unsigned)(b >> 17);
}

int main(void)
{
    assert(checksum() == 128934955u);
    return 0;
}
