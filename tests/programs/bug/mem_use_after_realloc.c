// The old pointer is used after realloc.
#include <stdlib.h>

int main(void)
{
    int *old = malloc(4);
    int *grown = realloc(old, 400);
    grown[99] = 1;
    *old = 2; //~ BUG(memory)
    free(grown);
    return 0;
}
