// A signal is sent only if somebody is said to wait, and nobody says so.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int items, waiting;

static void *producer(void *arg)
{
    pthread_mutex_lock(&m);
    items++;
    if (waiting > 0)
        pthread_cond_signal(&changed);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    pthread_mutex_lock(&m);
    while (items == 0)
        pthread_cond_wait(&changed, &m); //~ WARN(endless wait)
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
