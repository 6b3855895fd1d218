// Only so many bytes of a value are made up: whoever looks at all of it sees what lies behind them.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *home = getenv("HOME");
    if (home)
        assert(strlen(home) < 100); //~ UNKNOWN(input length: value of a variable of the environment)
    return 0;
}
