// 128-bit integers: products, shifts, division, comparison.
#include <assert.h>
#include <stdint.h>

int main(void)
{
    unsigned __int128 product = (unsigned __int128)0xffffffffffffffffULL * 0xffffffffffffffffULL;
    assert((uint64_t)(product >> 64) == 0xfffffffffffffffeULL);
    assert((uint64_t)product == 1);
    __int128 negative = -(__int128)1 << 100;
    assert(negative < 0);
    assert((int64_t)(negative >> 64) == -(1LL << 36));
    __int128 quotient = negative / 3;
    assert(quotient * 3 + negative % 3 == negative);
    assert(product / 0xffffffffffffffffULL == 0xffffffffffffffffULL);
    return 0;
}
