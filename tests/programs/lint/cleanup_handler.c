// Nobody exits or is cancelled: the handler never runs, and the lock is held until it is unlocked.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int number;

static void cleanup(void *arg)
{
    number--;
    pthread_mutex_unlock(arg);
}

static void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_cleanup_push(cleanup, &m);
    number++;
    pthread_cleanup_pop(0);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
