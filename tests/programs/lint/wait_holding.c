// The signaller needs the lock that is kept during the wait.
#include <pthread.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *signaller(void *arg)
{
    pthread_mutex_lock(&outer); //~ WARN(endless wait)
    pthread_mutex_unlock(&outer);
    pthread_mutex_lock(&inner);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&inner);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, signaller, NULL);
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&inner);
    while (!ready)
        pthread_cond_wait(&changed, &inner); //~ WARN(endless wait)
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
    pthread_join(t, NULL);
    return 0;
}
