// What is assumed may be relied on; contradictory assumptions leave nothing to check.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x > 10);
    __VERIFIER_assume(x < 13);
    assert(x == 11 || x == 12);
    __VERIFIER_assume(x == 20);
    assert(0);
    return 0;
}
