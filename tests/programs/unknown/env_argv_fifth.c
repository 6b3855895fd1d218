// Only the first few arguments are made up.
#include <assert.h>

int main(int argc, char **argv)
{
    if (argc == 8)
        assert(argv[7] != 0); //~ UNKNOWN(input length: arguments of main)
    return 0;
}
