// sleave: --malloc-may-fail
// Who gets nothing is told so, and keeps what he had.
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    errno = 0;
    char *block = malloc(4);
    if (block == NULL) {
        assert(errno == ENOMEM);
        return 0;
    }
    block[0] = 7;
    char *larger = realloc(block, 400);
    assert(larger != NULL ? larger[0] == 7 : errno == ENOMEM && block[0] == 7);
    free(larger != NULL ? larger : block);

    void *aligned = NULL;
    int error = posix_memalign(&aligned, 64, 100);
    assert(error == 0 ? (size_t)aligned % 64 == 0 : error == ENOMEM && aligned == NULL);
    free(aligned);

    errno = 0;
    char *copy = strdup("text");
    assert(copy != NULL || errno == ENOMEM);
    free(copy);
    return 0;
}
