// Write past the end of a heap block.
#include <stdlib.h>

int main(void)
{
    char *p = malloc(4);
    p[4] = 0; //~ BUG(memory)
    free(p);
    return 0;
}
