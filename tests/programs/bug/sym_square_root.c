// The solver must find that seven squared is 49.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x > 0);
    __VERIFIER_assume(x < 100);
    assert(x * x != 49); //~ BUG(assertion)
    return 0;
}
