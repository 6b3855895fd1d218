// The input must undo a shift, a rotation and an xor.
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint();
    unsigned h = x ^ 0x9e3779b9u;
    h = (h << 7) | (h >> 25);
    h += 12345;
    assert(h != 0xcafebabeu); //~ BUG(assertion)
    return 0;
}
