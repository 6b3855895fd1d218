// An atomic exchange makes sure that only one thread frees.
#include <pthread.h>
#include <stdlib.h>

static int *shared;

static void *release(void *arg)
{
    int *p = __atomic_exchange_n(&shared, NULL, __ATOMIC_SEQ_CST);
    if (p) free(p);
    return 0;
}

int main(void)
{
    pthread_t t;
    shared = malloc(4);
    pthread_create(&t, 0, release, 0);
    release(0);
    pthread_join(t, 0);
    return 0;
}
