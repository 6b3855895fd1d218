// An input that is a floating-point number (until those are supported).
#include <assert.h>
extern double __VERIFIER_nondet_double(void);

int main(void)
{
    double d = __VERIFIER_nondet_double() + 1.0; //~ UNKNOWN(symbolic float)
    assert(d != 3.5);
    return 0;
}
