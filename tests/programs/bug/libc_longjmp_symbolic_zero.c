// longjmp with an input that may be zero makes setjmp return 1 then.
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
        if (n)
            return 0;
        n = 1;
        longjmp(b, x);
    }
    assert(x != 0 || r != 1); //~ BUG(assertion)
}
