// C11 threads: create, join with a result, current, equal, exit.
#include <assert.h>
#include <threads.h>

static int doubled(void *arg)
{
    return 2 * *(int *)arg;
}

static int leaver(void *arg)
{
    thrd_exit(9);
    return 0;
}

int main(void)
{
    thrd_t a, b;
    int x = 4, result;
    assert(thrd_create(&a, doubled, &x) == thrd_success);
    assert(thrd_create(&b, leaver, NULL) == thrd_success);
    assert(!thrd_equal(a, thrd_current()));
    assert(thrd_join(a, &result) == thrd_success && result == 8);
    assert(thrd_join(b, &result) == thrd_success && result == 9);
    return 0;
}
