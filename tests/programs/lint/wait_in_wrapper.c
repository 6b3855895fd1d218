// The loop that tests again is in the caller of the function that waits.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int done;

static void sleep_on(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    pthread_cond_wait(condition, mutex);
}

static void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    done = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&m);
    while (!done)
        sleep_on(&changed, &m);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
