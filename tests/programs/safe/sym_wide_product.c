// The product of two 8-bit inputs fits into 16 bits.
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    unsigned a = __VERIFIER_nondet_uchar(), b = __VERIFIER_nondet_uchar();
    assert(a * b <= 65025);
    return 0;
}
