// C promises a null pointer behind the last argument.
#include <assert.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    if (argc > 4)
        return 0;
    assert(argv[argc] == NULL && argv[argc - 1] != NULL);
    return 0;
}
