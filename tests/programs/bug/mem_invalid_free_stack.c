// free of a local variable.
#include <stdlib.h>

int main(void)
{
    int local[4] = {0};
    int *p = local;
    free(p); //~ BUG(memory)
    return 0;
}
