// Compiler builtins: overflow, bit counts, byte swaps, expect, constant_p, object size.
#include <assert.h>

int main(void)
{
    int sum;
    assert(!__builtin_add_overflow(1, 2, &sum) && sum == 3);
    assert(__builtin_add_overflow(2147483647, 1, &sum));
    assert(__builtin_mul_overflow(1 << 20, 1 << 20, &sum));
    unsigned difference;
    assert(__builtin_sub_overflow(1u, 2u, &difference) && difference == 0xffffffffu);
    assert(__builtin_popcount(0xf0f0) == 8);
    assert(__builtin_clz(1) == 31 && __builtin_ctzl(1L << 40) == 40);
    assert(__builtin_ffs(0) == 0 && __builtin_ffs(8) == 4);
    assert(__builtin_parity(7) == 1);
    assert(__builtin_bswap32(0x01020304) == 0x04030201);
    assert(__builtin_bswap16(0x0102) == 0x0201);
    assert(__builtin_expect(sum == sum, 1));
    unsigned rotated = __builtin_rotateleft32(0x80000001u, 1);
    assert(rotated == 3);
    assert(__builtin_abs(-4) == 4);
    return 0;
}
