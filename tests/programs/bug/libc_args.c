// sleave: --args 42
// The program's argument comes from --args.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    assert(argc == 2);
    assert(strlen(argv[1]) == 2);
    assert(argv[2] == NULL);
    assert(atoi(argv[1]) != 42); //~ BUG(assertion)
    return 0;
}
