// A variable that nobody defines: no linker would make a program of this.
#include <assert.h>

extern int foo;

int main(void)
{
    assert(foo == 0); //~ UNKNOWN(undefined variable: foo)
    return 0;
}
