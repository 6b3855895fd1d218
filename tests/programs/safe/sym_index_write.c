// Writing at one symbolic index and reading at another.
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    int a[5] = {0};
    unsigned char i = __VERIFIER_nondet_uchar(), j = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(i < 5);
    __VERIFIER_assume(j < 5);
    a[i] = 7;
    assert(a[j] == (i == j ? 7 : 0));
    a[j]++;
    assert(a[0] + a[1] + a[2] + a[3] + a[4] == 8);
    return 0;
}
