// The average of two chars computed in a char: too narrow.
#include <assert.h>
extern signed char __VERIFIER_nondet_char(void);

int main(void)
{
    signed char a = __VERIFIER_nondet_char(), b = __VERIFIER_nondet_char();
    signed char sum = (signed char)(a + b);
    assert(!(a > 0 && b > 0) || sum > 0); //~ BUG(assertion)
    return 0;
}
