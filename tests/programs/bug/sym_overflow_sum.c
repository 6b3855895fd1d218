// The check comes too late: the sum of two large sizes has wrapped around.
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned header = __VERIFIER_nondet_uint(), body = __VERIFIER_nondet_uint();
    if (header + body <= 100)
        assert(body <= 100); //~ BUG(assertion)
    return 0;
}
