// A failed assert inside a helper, with a message.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

static int percent(int part, int whole)
{
    assert(whole > 0 && "the whole must be positive"); //~ BUG(assertion)
    return part / whole;
}

int main(void)
{
    return percent(1, __VERIFIER_nondet_int());
}
