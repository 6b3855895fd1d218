// What C says of conversions: the checksum is what two compilers compute.
#include <assert.h>

static unsigned checksum(void)
{
    unsigned sum = 0;
    long long values[] = {-1, 255, 256, -129, 32768, -32769, 4294967295LL, -4294967297LL};
    for (int i = 0; i < 8; i++) {
        signed char c = (signed char)values[i];
        unsigned char u = (unsigned char)values[i];
        short s = (short)values[i];
        unsigned short h = (unsigned short)values[i];
        int n = (int)values[i];
        sum = sum * 7 + (unsigned)c - u + (unsigned)s * 3u - h + (unsigned)n;
        sum += c < u;
        sum += (unsigned)n > (unsigned)s;
        sum ^= (unsigned)((unsigned long long)(long long)c >> 40);
    }
    return sum;
}

int main(void)
{
    assert(checksum() == 3535290883u);
    return 0;
}
