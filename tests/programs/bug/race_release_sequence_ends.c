// sleave: --property race
// A store by another thread ends the release sequence.
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int state;

void *producer(void *arg)
{
    (void)arg;
    data = 42;
    atomic_store_explicit(&state, 1, memory_order_release);
    return NULL;
}

void *middle(void *arg)
{
    (void)arg;
    int expected = 1;
    if (atomic_load_explicit(&state, memory_order_relaxed) == expected)
        atomic_store_explicit(&state, 2, memory_order_relaxed);
    return NULL;
}

void *consumer(void *arg)
{
    (void)arg;
    if (atomic_load_explicit(&state, memory_order_acquire) == 2)
        return (void *)(long)data; //~ BUG(race)
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, producer, NULL);
    pthread_create(&threads[1], NULL, middle, NULL);
    pthread_create(&threads[2], NULL, consumer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
