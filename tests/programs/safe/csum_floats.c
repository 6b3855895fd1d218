// What C says of floats: the checksum is what two compilers compute.
#include <assert.h>
#include <string.h>

static unsigned checksum(void)
{
    double x = 0.5;
    float y = 3.25f;
    unsigned sum = 0;
    for (int i = 1; i < 20; i++) {
        x = x * 1.75 - (double)i / 3;
        y = y / 2 + (float)x * 0.125f;
        sum = sum * 11 + (unsigned)(long long)(x * 16) + (unsigned)(int)(y * 8);
        sum += x < y;
    }
    unsigned long long bits;
    memcpy(&bits, &x, sizeof bits);
    return sum ^ (unsigned)(bits >> 32) ^ (unsigned)bits;
}

int main(void)
{
    assert(checksum() == 157519156u);
    return 0;
}
