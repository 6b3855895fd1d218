// sleave: --malloc-may-fail
#include <stdlib.h>

int main(void)
{
    void *block = NULL;
    posix_memalign(&block, 64, 100);
    *(char *)block = 1; //~ BUG(memory)
    free(block);
    return 0;
}
