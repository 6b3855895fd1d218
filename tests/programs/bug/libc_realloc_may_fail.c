// sleave: --malloc-may-fail
#include <stdlib.h>

int main(void)
{
    char *block = malloc(4);
    if (block == NULL)
        return 0;
    block = realloc(block, 400);
    block[0] = 1; //~ BUG(memory)
    free(block);
    return 0;
}
