// Accesses to a large array at any place, not only where others began: a read finds parts of two writes.
#include <assert.h>

unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assume(int);

static char bytes[400];

int main(void)
{
    unsigned to = __VERIFIER_nondet_uint(), from = __VERIFIER_nondet_uint();
    __VERIFIER_assume(to < 390 && from < 390);
    *(int *)(bytes + to) = 1;
    int seen = *(int *)(bytes + from);
    assert(seen <= 1); //~ BUG(assertion)
    return 0;
}
