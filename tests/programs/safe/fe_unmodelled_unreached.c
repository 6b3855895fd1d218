// An external function without a model does no harm as long as no run reaches it.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern int frobnicate_device(int port);

int main(void)
{
    unsigned x = (unsigned)__VERIFIER_nondet_int() % 10;
    if (x > 10)
        return frobnicate_device(3);
    assert(x < 10);
    return 0;
}
