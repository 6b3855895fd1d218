// The consumer signals, but takes nothing: who waits for room tests again what only it would change itself.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t empty = PTHREAD_COND_INITIALIZER, full = PTHREAD_COND_INITIALIZER;
static int number = 1;

static void *producer(void *arg)
{
    pthread_mutex_lock(&m);
    while (number > 0)
        pthread_cond_wait(&empty, &m); //~ WARN(endless wait)
    number++;
    pthread_mutex_unlock(&m);
    pthread_cond_signal(&full);
    return arg;
}

static void *consumer(void *arg)
{
    pthread_mutex_lock(&m);
    while (number == 0)
        pthread_cond_wait(&full, &m);
    pthread_mutex_unlock(&m);
    pthread_cond_signal(&empty);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, producer, NULL);
    pthread_create(&b, NULL, consumer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
