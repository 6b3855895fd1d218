// C11 condition variables: wait in a loop, signal under the mutex.
#include <assert.h>
#include <threads.h>

static mtx_t m;
static cnd_t c;
static int ready;

static int producer(void *arg)
{
    mtx_lock(&m);
    ready = 1;
    cnd_signal(&c);
    mtx_unlock(&m);
    return 0;
}

int main(void)
{
    thrd_t t;
    mtx_init(&m, mtx_plain);
    cnd_init(&c);
    thrd_create(&t, producer, NULL);
    mtx_lock(&m);
    while (!ready)
        cnd_wait(&c, &m);
    assert(ready == 1);
    mtx_unlock(&m);
    thrd_join(t, NULL);
    cnd_destroy(&c);
    return 0;
}
