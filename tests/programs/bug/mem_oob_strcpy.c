// strcpy has no room for the terminating zero.
#include <string.h>

int main(void)
{
    char to[4];
    strcpy(to, "four"); //~ BUG(memory)
    return to[0];
}
