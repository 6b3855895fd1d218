// Several consumers, each woken for one item, which it takes.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items;

static void *consumer(void *arg)
{
    pthread_mutex_lock(&m);
    while (items == 0)
        pthread_cond_wait(&filled, &m);
    items--;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, consumer, NULL);
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&m);
        items++;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&m);
    }
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
