// The destructor of C11 thread-specific storage, and detach and yield.
#include <assert.h>
#include <threads.h>

static tss_t slot;
static int destroyed;

static void destroy(void *value) { destroyed = *(int *)value; }

static int worker(void *arg)
{
    tss_set(slot, arg);
    thrd_yield();
    return 0;
}

static int idle(void *arg) { return 0; }

int main(void)
{
    thrd_t t, d;
    int value = 6;
    tss_create(&slot, destroy);
    thrd_create(&t, worker, &value);
    thrd_join(t, NULL);
    assert(destroyed == 6);
    thrd_create(&d, idle, NULL);
    assert(thrd_detach(d) == thrd_success);
    return 0;
}
