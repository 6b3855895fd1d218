// free of a pointer into the middle of a block.
#include <stdlib.h>

int main(void)
{
    char *p = malloc(8);
    p += 4;
    free(p); //~ BUG(memory)
    return 0;
}
