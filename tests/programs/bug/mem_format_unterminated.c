// A format without terminator.
#include <stdio.h>

static char format[3] = {'a', 'b', 'c'};

int main(void)
{
    printf(format, 1); //~ BUG(memory)
    return 0;
}
