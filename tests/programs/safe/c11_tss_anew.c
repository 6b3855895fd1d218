// The same for C11: a destructor that sets its value again is called four times at most.
#include <assert.h>
#include <threads.h>

static tss_t key;
static int calls;

static void again(void *value)
{
    calls++;
    tss_set(key, value);
}

static int worker(void *arg)
{
    tss_set(key, &calls);
    return 0;
}

int main(void)
{
    thrd_t t;
    assert(tss_create(&key, NULL) == thrd_success);
    tss_set(key, &calls);
    tss_delete(key);
    assert(tss_create(&key, again) == thrd_success);
    assert(tss_get(key) == NULL);
    thrd_create(&t, worker, NULL);
    thrd_join(t, NULL);
    assert(calls == 4);
    return 0;
}
