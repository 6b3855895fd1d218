// The value may be empty: behind its end is nothing.
#include <stdlib.h>

int main(void)
{
    char *value = getenv("LEVEL");
    if (value == NULL)
        return 0;
    return value[1] == 'x'; //~ BUG(memory)
}
