// Bit tricks hold for every input.
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint();
    assert((x ^ y) + 2 * (x & y) == x + y);
    assert((x & -x) == 0 || ((x & -x) & ((x & -x) - 1)) == 0);
    assert((x | y) >= (x & y));
    assert((~x) + 1 == -x);
    int s = (int)x;
    int mask = s >> 31;
    unsigned absolute = ((unsigned)s ^ (unsigned)mask) - (unsigned)mask;
    assert(absolute == (s < 0 ? -x : x));
    return 0;
}
