// As many as are put are taken: every wait may end.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t empty = PTHREAD_COND_INITIALIZER, full = PTHREAD_COND_INITIALIZER;
static int number;

static void *producer(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        while (number > 0)
            pthread_cond_wait(&empty, &m);
        number++;
        pthread_mutex_unlock(&m);
        pthread_cond_signal(&full);
    }
    return arg;
}

static void *consumer(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        while (number == 0)
            pthread_cond_wait(&full, &m);
        number--;
        pthread_mutex_unlock(&m);
        pthread_cond_signal(&empty);
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    number = 0;
    pthread_create(&a, NULL, producer, NULL);
    pthread_create(&b, NULL, consumer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
