// A loop whose length is an input: only the sixth round breaks the assertion.
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint(), product = 1;
    __VERIFIER_assume(n <= 8);
    for (unsigned i = 0; i < n; i++) product *= 3;
    assert(product < 729); //~ BUG(assertion)
    return 0;
}
