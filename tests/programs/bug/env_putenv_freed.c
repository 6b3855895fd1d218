#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *text = strdup("NAME=value");
    putenv(text);
    free(text);
    return getenv("NAME") != NULL; //~ BUG(memory)
}
