// What C says of conditions and commas: the checksum is what two compilers compute.
#include <assert.h>

static unsigned checksum(void)
{
    int a = 3, b = -4, c = 0;
    unsigned sum = 9;
    for (int i = 0; i < 25; i++) {
        a = (c++, b--, a ^ i) ? a && (b += 2) < 5 ? a - 1 : a + b : -a;
        c = !(a & 1) || (b -= c) > 0 ? c : c - (a > b) - (a >= b);
        sum = (sum << 1 | sum >> 31) + (unsigned)a * 3u + (unsigned)b - (unsigned)c;
        b = b % 1000;
        a = a % 1000;
    }
    return sum;
}

int main(void)
{
    assert(checksum() == 218628215u);
    return 0;
}
