// Bit-fields, signed and unsigned, across byte borders.
#include <assert.h>

struct flags {
    unsigned low : 3;
    signed middle : 5;
    unsigned high : 14;
    unsigned long long wide : 40;
};

int main(void)
{
    struct flags f = {0};
    f.low = 9; /* keeps 3 bits: 1 */
    f.middle = -3;
    f.high = 0x2fff;
    f.wide = 0x123456789aULL;
    assert(f.low == 1);
    assert(f.middle == -3);
    assert(f.high == 0x2fff);
    assert(f.wide == 0x123456789aULL);
    f.middle = 15;
    f.low++;
    assert(f.middle == 15 && f.low == 2 && f.high == 0x2fff);
    return 0;
}
