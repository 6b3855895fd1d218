// malloc, calloc, realloc, aligned_alloc, posix_memalign; free of null.
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void)
{
    int *a = malloc(2 * sizeof *a);
    assert(a);
    a[0] = 1;
    a[1] = 2;
    a = realloc(a, 4 * sizeof *a);
    assert(a[0] == 1 && a[1] == 2);
    a[3] = 4;
    a = realloc(a, sizeof *a);
    assert(a[0] == 1);
    free(a);
    long *zeroed = calloc(3, sizeof *zeroed);
    assert(zeroed[0] == 0 && zeroed[2] == 0);
    free(zeroed);
    void *aligned = aligned_alloc(64, 128);
    assert((uintptr_t)aligned % 64 == 0);
    free(aligned);
    void *memalign = NULL;
    assert(posix_memalign(&memalign, 32, 10) == 0);
    assert((uintptr_t)memalign % 32 == 0);
    free(memalign);
    int *fresh = realloc(NULL, 8);
    assert(fresh != NULL);
    free(fresh);
    free(NULL);
    return 0;
}
