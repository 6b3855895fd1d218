// A string that was never written need not have a terminator.
#include <stdio.h>

int main(void)
{
    char text[3];
    fputs(text, stdout); //~ BUG(memory)
    return 0;
}
