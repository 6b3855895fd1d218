// The standard input, too, is gone when it is closed.
#include <stdio.h>

int main(void)
{
    fclose(stdin);
    return getchar() == 'x'; //~ BUG(memory)
}
