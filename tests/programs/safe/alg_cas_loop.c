// Compare-and-swap in a loop; a failed attempt means that the other thread succeeded, so two rounds suffice.
#include <assert.h>
#include <pthread.h>

static int counter;

static void *worker(void *arg)
{
    int seen = __atomic_load_n(&counter, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(&counter, &seen, seen + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    return 0;
}
