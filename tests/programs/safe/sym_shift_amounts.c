// Shifts by a symbolic amount inside the width.
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned s = __VERIFIER_nondet_uint() % 32;
    unsigned one = 1u << s;
    assert(one != 0 && (one & (one - 1)) == 0);
    assert(one >> s == 1);
    assert((0x80000000u >> s) != 0);
    assert(((int)0x80000000 >> s) < 0);
    return 0;
}
