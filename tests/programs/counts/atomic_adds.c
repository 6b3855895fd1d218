// runs: 20
// An atomic read-modify-write is one operation: three against three, C(6,3).
#include <pthread.h>

static int x;

static void *worker(void *arg)
{
    for (int i = 0; i < 3; i++)
        __atomic_fetch_add(&x, 1, __ATOMIC_RELAXED);
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, NULL, worker, NULL);
    pthread_create(&t2, NULL, worker, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
