// sleave: --property race
// Fences make relaxed accesses publish.
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int ready;

void *producer(void *arg)
{
    (void)arg;
    data = 42;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return NULL;
}

void *consumer(void *arg)
{
    (void)arg;
    int seen = atomic_load_explicit(&ready, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    if (seen)
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
