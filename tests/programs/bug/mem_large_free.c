// A large block has a life like others.
#include <stdlib.h>

int main(void)
{
    char *p = malloc(3ull << 30), *q = malloc(3ull << 30);
    free(q);
    free(p);
    return *p; //~ BUG(memory)
}
