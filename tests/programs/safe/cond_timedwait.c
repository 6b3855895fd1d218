// A timed wait ends either with the condition or with ETIMEDOUT, in both cases with the mutex held.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;

static void *producer(void *arg)
{
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t t;
    struct timespec until = {1, 0};
    int rc = 0;
    pthread_create(&t, NULL, producer, NULL);
    pthread_mutex_lock(&m);
    while (!ready && rc == 0)
        rc = pthread_cond_timedwait(&c, &m, &until);
    assert(ready || rc == ETIMEDOUT);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
