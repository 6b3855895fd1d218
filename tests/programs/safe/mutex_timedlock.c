// timedlock on a held mutex times out in the end, so this is not a deadlock.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg)
{
    struct timespec soon = {0, 0};
    assert(pthread_mutex_timedlock(&m, &soon) == ETIMEDOUT);
    return NULL;
}

int main(void)
{
    pthread_t t;
    struct timespec soon = {0, 0};
    assert(pthread_mutex_timedlock(&m, &soon) == 0); /* free: succeeds at once */
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    pthread_mutex_unlock(&m);
    return 0;
}
