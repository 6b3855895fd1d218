// A function whose name begins with __VERIFIER_atomic_ runs without interleaving.
#include <assert.h>
#include <pthread.h>

static int counter;

static int __VERIFIER_atomic_increment(void)
{
    int old = counter;
    counter = old + 1;
    return old;
}

static void *worker(void *arg)
{
    return (void *)(long)__VERIFIER_atomic_increment();
}

int main(void)
{
    pthread_t a, b;
    void *first, *second;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, &first);
    pthread_join(b, &second);
    assert(counter == 2);
    assert((long)first + (long)second == 1);
    return 0;
}
