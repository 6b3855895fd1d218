// Inline assembly `lock xadd`: an atomic fetch-and-add.
#include <assert.h>
#include <pthread.h>

static int counter;

static inline int fetch_add(volatile int *p, int v)
{
    __asm__ __volatile__("lock xaddl %0, %1" : "+r"(v), "+m"(*p) : : "memory", "cc");
    return v;
}

static void *worker(void *arg)
{
    return (void *)(long)fetch_add(&counter, 3);
}

int main(void)
{
    pthread_t a, b;
    void *first, *second;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, &first);
    pthread_join(b, &second);
    assert(counter == 6);
    assert((long)first + (long)second == 3);
    return 0;
}
