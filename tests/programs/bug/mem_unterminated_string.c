// strlen runs past an array without a terminating zero.
#include <string.h>

int main(void)
{
    char *volatile p;
    char text[3] = {'a', 'b', 'c'};
    p = text;
    return (int)strlen(p) > 100; //~ BUG(memory)
}
