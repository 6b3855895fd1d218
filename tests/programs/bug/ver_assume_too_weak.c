// The assumption leaves one bad value.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x >= 0);
    __VERIFIER_assume(x <= 100);
    assert(100 / (x + 1) > 0 || x == 99); //~ BUG(assertion)
    return 0;
}
