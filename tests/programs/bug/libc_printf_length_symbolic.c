// What printf returns depends on the number it prints.
#include <assert.h>
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    int n = printf("%d\n", x);
    assert(n != 12); //~ BUG(assertion)
    return 0;
}
