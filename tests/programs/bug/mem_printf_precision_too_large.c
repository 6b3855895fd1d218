// The precision lets printf read beyond the end of a string without terminator.
#include <stdio.h>

static char text[3] = {'a', 'b', 'c'};

int main(void)
{
    printf("%.*s\n", 4, text); //~ BUG(memory)
    return 0;
}
