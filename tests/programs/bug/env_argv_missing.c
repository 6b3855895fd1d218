// The first argument may be missing.
#include <stdlib.h>

int main(int argc, char **argv)
{
    (void)argc;
    return argv[1][0]; //~ BUG(memory)
}
