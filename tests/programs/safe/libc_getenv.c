// getenv gives a string or null; either way the program copes.
#include <stdlib.h>
#include <string.h>

int main(void)
{
    const char *home = getenv("SLEAVE_TEST_SURELY_NOT_SET");
    if (home && strlen(home) > 1000)
        return 1;
    return 0;
}
