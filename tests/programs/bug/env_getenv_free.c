// What getenv gives is not the program's to free.
#include <stdlib.h>

int main(void)
{
    free(getenv("HOME")); //~ BUG(memory)
    return 0;
}
