// getenv gives a string or null; either way the program copes.
#include <stdlib.h>

int main(void)
{
    const char *home = getenv("SLEAVE_TEST_SURELY_NOT_SET");
    if (home && home[0] && home[1])
        return home[2] == 'x';
    return 0;
}
