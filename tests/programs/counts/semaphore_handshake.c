// runs: 1
// The consumer can do nothing before the post, the producer nothing after it: one run.
#include <pthread.h>

#include <semaphore.h>

static sem_t s;
static int x;
static pthread_t t1, t2;

static void *producer(void *arg)
{
    x = 1;
    sem_post(&s);
    return NULL;
}

static void *consumer(void *arg)
{
    sem_wait(&s);
    x = 2;
    return NULL;
}

int main(void)
{
    sem_init(&s, 0, 0);
    pthread_create(&t1, NULL, producer, NULL);
    pthread_create(&t2, NULL, consumer, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
