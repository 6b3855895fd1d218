// As in glibc, no block is larger than the largest difference of pointers, and a product that wraps is refused.
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

int main(void)
{
    errno = 0;
    assert(malloc((size_t)PTRDIFF_MAX + 1) == NULL && errno == ENOMEM);
    errno = 0;
    assert(calloc(SIZE_MAX / 4 + 2, 4) == NULL && errno == ENOMEM);
    char *p = malloc(8);
    assert(realloc(p, SIZE_MAX) == NULL);
    assert(reallocarray(p, SIZE_MAX / 2, 3) == NULL);
    p[7] = 1;
    free(p);
    return 0;
}
