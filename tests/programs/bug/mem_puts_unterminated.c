// A string without terminator that puts reads to its end.
#include <stdio.h>

static char text[3] = {'a', 'b', 'c'};

int main(void)
{
    puts(text); //~ BUG(memory)
    return 0;
}
