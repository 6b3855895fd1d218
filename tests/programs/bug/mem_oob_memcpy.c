// memcpy of more bytes than the destination has.
#include <string.h>

int main(void)
{
    char from[16] = "0123456789", to[8];
    memcpy(to, from, strlen(from)); //~ BUG(memory)
    return to[0];
}
