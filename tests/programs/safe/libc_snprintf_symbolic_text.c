// snprintf copies characters that are not known, and ends where one of them is zero.
#include <assert.h>
#include <stdio.h>
extern char __VERIFIER_nondet_char(void);

int main(void)
{
    char c = __VERIFIER_nondet_char();
    char text[3] = {'a', c, 0};
    char copy[8];
    int n = snprintf(copy, sizeof copy, "<%s%c>", text, c);
    assert(n == (c == 0 ? 4 : 5));
    assert(copy[1] == 'a');
    assert(copy[2] == c);
    assert(c == 0 || copy[3] == c);
    assert(copy[n - 1] == '>' && copy[n] == 0);
    return 0;
}
