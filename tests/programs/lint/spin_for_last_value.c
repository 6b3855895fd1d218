// The value that is waited for is the last one.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int phase;

static void *worker(void *arg)
{
    atomic_store(&phase, 1);
    atomic_store(&phase, 2);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    while (atomic_load(&phase) != 2)
        ;
    pthread_join(t, NULL);
    return 0;
}
