// quick_exit runs the handlers of at_quick_exit, the last first, and no others.
#include <assert.h>
#include <stdlib.h>

static int step;

static void first(void)
{
    assert(step == 2); //~ BUG(assertion)
}

static void then(void)
{
    step++;
}

static void never(void)
{
    step++;
}

int main(void)
{
    atexit(never);
    at_quick_exit(first);
    at_quick_exit(then);
    quick_exit(0);
}
