// Builtins that saturate, rotate, carry, reverse and count, at the edges of several widths.
#include <assert.h>
#include <limits.h>

static volatile int lowest = INT_MIN, minus = -1, one = 1;

int main(void)
{
    assert(__builtin_elementwise_add_sat(lowest, minus) == INT_MIN);
    assert(__builtin_elementwise_sub_sat(one, lowest) == INT_MAX);
    assert(__builtin_elementwise_add_sat((signed char)127, (signed char)one) == 127);
    assert(__builtin_elementwise_sub_sat((unsigned short)one, (unsigned short)2) == 0);
    assert(__builtin_elementwise_min((unsigned char)minus, (unsigned char)one) == 1);
    assert(__builtin_elementwise_max((signed char)minus, (signed char)one) == 1);
    assert(__builtin_rotateleft8(0x81, one) == 0x03);
    assert(__builtin_rotateright16(one, 17) == 0x8000);
    assert(__builtin_rotateleft32(0x80000001u, 33 * one) == 3);
    assert(__builtin_bitreverse8(one) == 0x80 && __builtin_bitreverse64(one) == 1ULL << 63);
    assert(__builtin_clzg((unsigned char)one, 9) == 7 && __builtin_clzg((unsigned)(one - 1), 99) == 99);
    assert(__builtin_ctzg((unsigned short)0x8000, 9) == 15 && __builtin_popcountg((unsigned char)minus) == 8);
    unsigned carry;
    assert(__builtin_addc((unsigned)minus, 0, one, &carry) == 0 && carry == 1);
    assert(__builtin_subc(0, 0, one, &carry) == UINT_MAX && carry == 1);
    unsigned char narrow;
    assert(__builtin_add_overflow(200 * one, 56, &narrow) && narrow == 0);
    assert(!__builtin_sub_overflow(200 * one, 56, &narrow) && narrow == 144);
    int mixed;
    assert(!__builtin_mul_overflow(0x80000000u, minus, &mixed) && mixed == INT_MIN);
    assert(__builtin_mul_overflow(0x80000000u, one, &mixed) && mixed == INT_MIN);
    unsigned _BitInt(37) wide = (unsigned _BitInt(37))minus;
    wide *= wide;
    assert(wide == 1);
    assert((_BitInt(5))(one * 16) == -16);
    return 0;
}
