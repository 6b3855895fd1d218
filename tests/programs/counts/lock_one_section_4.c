// runs: 2
// One critical section with 4 accesses in each of two threads. While one is inside, the other's only
// next step, the lock, is not enabled. So one section comes whole before the other: 2 runs, whatever its length.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static pthread_t t1, t2;

static void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    x = 1;
    x = 2;
    x = 3;
    x = 4;
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_create(&t1, NULL, worker, NULL);
    pthread_create(&t2, NULL, worker, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
