// Another thread uses a thread-local variable while its thread waits.
#include <assert.h>
#include <pthread.h>

static __thread int local;

static void *writer(void *arg)
{
    *(int *)arg = 1;
    return NULL;
}

static void *worker(void *arg)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, &local);
    pthread_join(t, NULL);
    assert(local == 1);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    assert(local == 0);
    return 0;
}
