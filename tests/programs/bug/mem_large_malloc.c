// malloc fails only if it is asked to: three large blocks are there as long as nobody looks into them.
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    char *p = malloc(3ull << 30), *q = malloc(3ull << 30), *r = calloc(3, 1ull << 30);
    if (!p || !q || !r)
        return 0;
    assert(p == q); //~ BUG(assertion)
    return 0;
}
