// Waiting without a predicate: a signal sent before the wait is gone.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *waker(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, waker, NULL);
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m); //~ BUG(deadlock)
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
