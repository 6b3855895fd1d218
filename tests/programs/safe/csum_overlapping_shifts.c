// What C says of shifts of narrow numbers: the checksum is what two compilers compute.
#include <assert.h>

static unsigned checksum(void)
{
    unsigned char c = 0x91;
    signed char s = (signed char)0x91;
    unsigned short h = 0xbeef;
    unsigned sum = 0;
    for (int i = 0; i < 16; i++) {
        sum += (unsigned)(c << (i % 8)) ^ (unsigned)(s >> (i % 8));
        sum = sum << 5 | sum >> 27;
        h = (unsigned short)(h << 1 | h >> 15);
        c = (unsigned char)(c + h);
        s = (signed char)~(s ^ c);
        sum ^= h * 3u;
    }
    return sum;
}

int main(void)
{
    assert(checksum() == 2496223984u);
    return 0;
}
