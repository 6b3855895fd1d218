// Division and remainder agree for every input whose divisor is not zero.
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    unsigned char a = __VERIFIER_nondet_uchar(), b = __VERIFIER_nondet_uchar();
    if (b != 0) {
        assert(a / b * b + a % b == a);
        assert(a % b < b);
    }
    return 0;
}
