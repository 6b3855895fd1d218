// sleave: --input-length 9
// The value may be longer than the buffer.
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char name[8];
    char *value = getenv("NAME");
    if (value != NULL)
        strcpy(name, value); //~ BUG(memory)
    return 0;
}
