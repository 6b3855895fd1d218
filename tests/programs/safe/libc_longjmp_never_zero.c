// setjmp never returns zero from longjmp, whatever the input.
#include <assert.h>
#include <setjmp.h>
int __VERIFIER_nondet_int(void);
jmp_buf b;
int main()
{
    int x = __VERIFIER_nondet_int();
    if (x < 0 || x > 2)
        return 0;
    volatile int n = 0;
    int r = setjmp(b);
    if (r == 0) {
        assert(!n);
        n = 1;
        longjmp(b, x);
    }
    assert(r == (x ? x : 1));
}
