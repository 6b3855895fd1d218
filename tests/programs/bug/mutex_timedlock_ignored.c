// The time-out of timedlock is not checked: the counter may be touched without the lock.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int inside;

static void *worker(void *arg)
{
    struct timespec soon = {0, 0};
    int got = pthread_mutex_timedlock(&m, &soon);
    assert(inside == 0); //~ BUG(assertion)
    if (got == 0) pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&m);
    inside = 1;
    inside = 0;
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
