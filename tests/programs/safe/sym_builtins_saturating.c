// The same builtins on inputs, against what they mean.
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    unsigned char a = __VERIFIER_nondet_uchar(), b = __VERIFIER_nondet_uchar();
    int sum = a + b;
    assert(__builtin_elementwise_add_sat(a, b) == (sum > 255 ? 255 : sum));
    signed char s = (signed char)a, t = (signed char)b;
    int difference = s - t;
    assert(__builtin_elementwise_sub_sat(s, t) == (difference > 127 ? 127 : difference < -128 ? -128 : difference));
    assert(__builtin_rotateleft8(__builtin_rotateright8(a, b), b) == a);
    assert(__builtin_rotateleft8(a, b) == (unsigned char)(a << (b & 7) | a >> (-b & 7)));
    assert(__builtin_bitreverse8(__builtin_bitreverse8(a)) == a);
    assert(__builtin_popcountg(a) == 8 - __builtin_popcountg((unsigned char)~a));
    assert(__builtin_clzg(a, 8) == __builtin_ctzg(__builtin_bitreverse8(a), 8));
    signed char narrow;
    int product = s * t;
    assert(__builtin_mul_overflow(s, t, &narrow) == (product != (signed char)product));
    assert(narrow == (signed char)product);
    return 0;
}
