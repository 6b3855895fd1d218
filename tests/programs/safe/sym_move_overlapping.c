// memmove, memset and memcmp with places and lengths that are inputs, against loops.
#include <assert.h>
#include <string.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    unsigned char a[8], b[8], old[8];
    for (int i = 0; i < 8; i++)
        a[i] = b[i] = old[i] = (unsigned char)(i * 37);
    unsigned char to = __VERIFIER_nondet_uchar(), from = __VERIFIER_nondet_uchar(), length = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(to < 4);
    __VERIFIER_assume(from < 4);
    __VERIFIER_assume(length <= 4);
    memmove(a + to, a + from, length);
    for (int i = 0; i < length; i++)
        b[to + i] = old[from + i];
    assert(memcmp(a, b, 8) == 0);
    memset(a + from, to, length);
    for (int i = 0; i < 8; i++)
        assert(a[i] == (i >= from && i < from + length ? to : b[i]));
    return 0;
}
