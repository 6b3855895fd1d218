// The first side of a branch that is possible is refuted by an assumption after it: the other one remains.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n > 5)
        __VERIFIER_assume(n < 3);
    assert(n != 2); //~ BUG(assertion)
    return 0;
}
