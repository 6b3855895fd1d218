// A variable of the environment may be missing.
#include <stdlib.h>

int main(void)
{
    return *getenv("HOME") == '/'; //~ BUG(memory)
}
