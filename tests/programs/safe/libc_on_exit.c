// on_exit hands the code and an argument to its handler; the last one registered runs first, those of atexit among them.
#define _DEFAULT_SOURCE
#include <assert.h>
#include <stdlib.h>

static int step;

static void first(int code, void *arg)
{
    assert(code == 3 && *(int *)arg == 7);
    assert(step == 1);
}

static void then(void)
{
    assert(step == 0);
    step = 1;
}

static void never(void)
{
    assert(0);
}

int main(void)
{
    static int seven = 7;
    at_quick_exit(never);
    on_exit(first, &seven);
    atexit(then);
    exit(3);
}
