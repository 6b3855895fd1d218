// What C says of unions: the checksum is what two compilers compute.
#include <assert.h>

union any { unsigned long long wide; unsigned word[2]; unsigned short half[4]; unsigned char byte[8]; signed char sbyte[8]; };
static unsigned checksum(void)
{
    union any u = {0x0123456789abcdefULL};
    unsigned sum = 0;
    for (int i = 0; i < 8; i++) {
        u.byte[i] ^= u.byte[7 - i] + i;
        u.half[i % 4] += u.word[i % 2] >> 3;
        sum = sum * 33 ^ (unsigned)u.sbyte[(i * 5) % 8];
        u.wide = u.wide << 9 | u.wide >> 55;
    }
    return sum ^ u.word[0] ^ u.word[1];
}

int main(void)
{
    assert(checksum() == 1837798340u);
    return 0;
}
