// __builtin_unreachable after a complete case distinction is never reached.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

static int half(int v)
{
    switch (v & 1) {
    case 0: return 0;
    case 1: return 1;
    }
    __builtin_unreachable();
}

int main(void)
{
    int h = half(__VERIFIER_nondet_int());
    assert(h == 0 || h == 1);
    return 0;
}
