// sleave: --unwind 4
// The bound cuts the loop, but the bug lies before that.
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint(), i = 0;
    while (i < n) i++;
    assert(i != 2); //~ BUG(assertion)
    return 0;
}
