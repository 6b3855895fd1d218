// sleave: --args=
// With an empty --args there is the program's name and nothing more.
#include <assert.h>

int main(int argc, char **argv)
{
    assert(argc == 1);
    assert(argv[0] != 0);
    assert(argv[1] == 0);
    return 0;
}
