// The checked addition catches every overflow.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), sum;
    if (!__builtin_add_overflow(a, b, &sum)) {
        assert((long)a + b == sum);
        if (b > 0) assert(sum > a);
    }
    return 0;
}
