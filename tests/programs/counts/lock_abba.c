// runs: 6
// traces: 3
// T1 takes a then b, T2 takes b then a. The two orders of the first locks (T1's a and T2's b, both taken) are
// deadlocks: 2 runs. Otherwise one thread gets both locks; the other's first lock comes before or after
// its last unlock: 2 * 2 runs. A deadlock is an end, so 6 in all, two of them failing.
// Traces: one order on both locks, the other, and the deadlock.
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;

static void *forwards(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return NULL;
}

static void *backwards(void *arg)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, NULL, forwards, NULL);
    pthread_create(&t2, NULL, backwards, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
