// A string without terminator that printf reads to its end.
#include <stdio.h>

static char text[3] = {'a', 'b', 'c'};

int main(void)
{
    printf("%.3s\n", text);
    printf("%s\n", text); //~ BUG(memory)
    return 0;
}
