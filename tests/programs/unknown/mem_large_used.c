// sleave: --memory-limit 500
// A block of 3 GB is there, but not what is in it.
#include <stdlib.h>

int main(void)
{
    char *p = malloc(3ull << 30);
    p[1ull << 31] = 1; //~ UNKNOWN(object too large)
    return 0;
}
