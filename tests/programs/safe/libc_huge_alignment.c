// There is no room for what must lie at a multiple of 2^62.
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int main(void)
{
    void *block = NULL;
    errno = 0;
    assert(aligned_alloc((size_t)1 << 62, 96) == NULL && errno == ENOMEM);
    assert(posix_memalign(&block, (size_t)1 << 62, 96) == ENOMEM && block == NULL);
    assert(posix_memalign(&block, 24, 96) == EINVAL);
    block = aligned_alloc(1 << 20, 1 << 20);
    assert((size_t)block % (1 << 20) == 0);
    free(block);
    return 0;
}
