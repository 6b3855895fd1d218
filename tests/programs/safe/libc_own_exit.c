// A program may have an exit of its own.
#include <assert.h>
extern void _exit(int);

void exit(int code)
{
    _exit(code);
}

int main(void)
{
    int x = 1;
    assert(x);
    return 0;
}
