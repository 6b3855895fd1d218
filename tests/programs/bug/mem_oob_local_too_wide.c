// The last bytes of a local are read as if there were more of them.
#include <string.h>

int main(void)
{
    char bytes[6] = {0};
    int number = *(int *)(bytes + 3); //~ BUG(memory)
    return number != 0;
}
