// The loop around the wait begins anew every time: it is no test of what was waited for.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int items;

static void *producer(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        items++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        pthread_cond_wait(&changed, &m); //~ WARN(endless wait)
        items--;
        pthread_mutex_unlock(&m);
    }
    pthread_join(t, NULL);
    return 0;
}
