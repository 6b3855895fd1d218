// realloc to a size of 0 frees the block.
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    char *block = malloc(4);
    char *none = realloc(block, 0);
    assert(none == NULL);
    free(none);
    free(block); //~ BUG(memory)
    return 0;
}
