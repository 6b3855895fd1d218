// runs: 4
// traces: 2
// lock a, lock b, unlock a, unlock b in both threads. Say T1 is first: T2 can lock a only after T1's
// unlock of a, that is before or after T1's unlock of b, and then waits for b: 2 runs. With T2 first: 4.
// Traces: the order on a decides the one on b.
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static pthread_t t1, t2;

static void *worker(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
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
