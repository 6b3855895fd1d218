// A count that is updated without atomics as long as there is one thread, decided once for all too early.
#include <assert.h>
#include <pthread.h>
#include <sys/single_threaded.h>

static int count, alone;

static void add(void)
{
    if (alone)
        count++;
    else
        __atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST);
}

static void *worker(void *arg)
{
    add();
    return NULL;
}

int main(void)
{
    pthread_t t;
    alone = __libc_single_threaded;
    pthread_create(&t, NULL, worker, NULL);
    add();
    pthread_join(t, NULL);
    assert(count == 2); //~ BUG(assertion)
    return 0;
}
