// An argument may be any text.
#include <assert.h>

int main(int argc, char **argv)
{
    if (argc == 3)
        assert(argv[2][0] != '-' || argv[2][1] != 'v'); //~ BUG(assertion)
    return 0;
}
