// Two calls of the same input function give two independent values.
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    unsigned char first = __VERIFIER_nondet_uchar();
    unsigned char second = __VERIFIER_nondet_uchar();
    assert(first == second); //~ BUG(assertion)
    return 0;
}
