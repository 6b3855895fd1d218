// exit ends the program: what follows is not reached, neither here nor in another thread.
#include <assert.h>
#include <stdlib.h>

static void leave(int code)
{
    exit(code);
}

int main(void)
{
    leave(0);
    assert(0);
    return 1;
}
