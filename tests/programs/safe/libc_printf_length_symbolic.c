// What printf returns for a number that is not known is exactly the length of its text.
#include <assert.h>
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    int n = printf("%d\n", x);
    assert(n >= 2 && n <= 12);
    assert((n == 2) == (x >= 0 && x <= 9));
    assert((n == 12) == (x <= -1000000000));
    assert(printf("%5d", x) == (n < 6 ? 5 : n - 1));
    assert(printf("%.11d", x) == (x < 0 ? 12 : 11));
    assert((printf("%#x", x) == 1) == (x == 0));
    assert((printf("%#o", x) == 2) == (x >= 1 && x <= 7));
    assert((printf("%.0u|", x) == 1) == (x == 0));
    assert(printf("%c", x) == 1);
    assert(putchar(x) == (unsigned char)x);
    assert(snprintf(NULL, 0, "<%d>", x) == n + 1);
    unsigned char width = __VERIFIER_nondet_uchar();
    if (width < 5)
        assert(printf("%*d", width, 1) == (width > 1 ? width : 1));
    return 0;
}
