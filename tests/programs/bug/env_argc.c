// Without --args there may be any arguments.
#include <assert.h>

int main(int argc, char **argv)
{
    (void)argv;
    assert(argc != 3); //~ BUG(assertion)
    return 0;
}
