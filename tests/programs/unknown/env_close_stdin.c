// What the stream has read before is still there, and what comes after depends on who opens descriptor 0 next.
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    close(0);
    return getchar() == 'x'; //~ UNKNOWN(unmodelled function: reading standard input after its descriptor was closed)
}
