// Fresh heap memory may hold anything.
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    unsigned char *p = malloc(4);
    p[0] = 0;
    assert(p[0] == 0);
    assert(p[1] == 0); //~ BUG(assertion)
    free(p);
    return 0;
}
