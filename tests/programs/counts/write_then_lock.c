// runs: 12
// A write, then a critical section (lock, read, write, unlock). Say T1's section comes first: T2's section follows T1's
// unlock and T2's own write, which falls anywhere among T1's five operations or after them: 6 places.
// The same with T2's section first: 12.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, z;
static pthread_t t1, t2;

static void *worker(void *arg)
{
    z = 1;
    pthread_mutex_lock(&m);
    x++;
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
