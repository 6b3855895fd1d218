// A four-byte read of which only the first three bytes are inside.
#include <stdlib.h>

int main(void)
{
    char *p = calloc(7, 1);
    int v = *(int *)(p + 4); //~ BUG(memory)
    free(p);
    return v;
}
