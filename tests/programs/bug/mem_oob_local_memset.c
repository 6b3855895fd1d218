// One byte more than there is.
#include <string.h>

int main(void)
{
    char bytes[4];
    memset(bytes, 0, 5); //~ BUG(memory)
    return bytes[0];
}
