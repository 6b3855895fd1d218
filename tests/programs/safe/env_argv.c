// What every program may rely on.
#include <assert.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    assert(argc >= 1 && argv[0] != NULL && argv[0][0] != 0);
    if (argc > 1)
        assert(argv[1] != NULL);
    else
        assert(argv[1] == NULL);
    if (argc == 3)
        assert(argv[2] != NULL && argv[3] == NULL);
    if (argc > 2 && argv[1][0] == '-' && argv[1][1] == 'n')
        assert(argv[1][2] != 0 || argv[2] != NULL);
    return 0;
}
