// Printing a value that depends on an input must not disturb the run.
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    printf("x = %d\n", x);
    return 0;
}
