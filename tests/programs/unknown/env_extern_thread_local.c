// The same with a variable of every thread.
#include <assert.h>

extern _Thread_local int foo;

int main(void)
{
    assert(foo == 0); //~ UNKNOWN(undefined variable: foo)
    return 0;
}
