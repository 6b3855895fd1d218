// A switch over an input: every value takes exactly one way.
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    unsigned char x = __VERIFIER_nondet_uchar();
    int r;
    switch (x) {
    case 0: r = 0; break;
    case 7: r = 1; break;
    case 200: r = 2; break;
    default: r = 3; break;
    }
    assert((r == 1) == (x == 7));
    assert((r == 3) == (x != 0 && x != 7 && x != 200));
    return 0;
}
