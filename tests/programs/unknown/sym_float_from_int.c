// An integer input that is converted to a floating-point number (until those are supported).
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    double d = x; //~ UNKNOWN(symbolic float)
    assert((int)d == x);
    return 0;
}
