// call_once and thread-specific storage of C11.
#include <assert.h>
#include <threads.h>

static once_flag once = ONCE_FLAG_INIT;
static tss_t slot;
static int initialised;

static void initialise(void)
{
    initialised++;
    tss_create(&slot, NULL);
}

static int worker(void *arg)
{
    call_once(&once, initialise);
    assert(initialised == 1);
    assert(tss_get(slot) == NULL);
    tss_set(slot, arg);
    assert(tss_get(slot) == arg);
    return 0;
}

int main(void)
{
    thrd_t a, b;
    int x, y;
    thrd_create(&a, worker, &x);
    thrd_create(&b, worker, &y);
    thrd_join(a, NULL);
    thrd_join(b, NULL);
    assert(initialised == 1);
    return 0;
}
