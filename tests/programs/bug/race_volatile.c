// sleave: --property race
// Volatile is not atomic: the flag itself races.
#include <pthread.h>

int data;
volatile int ready;

void *producer(void *arg)
{
    (void)arg;
    data = 42;
    ready = 1; //~ BUG(race)
    return NULL;
}

void *consumer(void *arg)
{
    (void)arg;
    if (ready)
        return (void *)(long)data;
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, producer, NULL);
    pthread_create(&second, NULL, consumer, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
