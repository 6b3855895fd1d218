// Two symbolic indices may be the same.
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    int a[4] = {0};
    unsigned char i = __VERIFIER_nondet_uchar(), j = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(i < 4);
    __VERIFIER_assume(j < 4);
    a[i] = 1;
    a[j] = 2;
    assert(a[i] == 1); //~ BUG(assertion)
    return 0;
}
