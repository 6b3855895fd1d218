// atexit handlers run at exit, last registered first.
#include <assert.h>
#include <stdlib.h>

static int closed;

static void check(void)
{
    assert(closed == 0); //~ BUG(assertion)
}

static void close_all(void)
{
    closed = 1;
}

int main(void)
{
    atexit(check);
    atexit(close_all);
    return 0;
}
