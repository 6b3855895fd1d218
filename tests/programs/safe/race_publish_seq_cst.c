// sleave: --property race
// The default memory order releases and acquires.
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int ready;

void *producer(void *arg)
{
    (void)arg;
    data = 42;
    ready = 1;
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
