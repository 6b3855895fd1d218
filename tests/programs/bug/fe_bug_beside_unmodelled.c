// A run that meets an unmodelled function is given up, but the other runs still show the bug.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void frobnicate_device(int port);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x > 0)
        frobnicate_device(x);
    else
        assert(x != -5); //~ BUG(assertion)
    return 0;
}
