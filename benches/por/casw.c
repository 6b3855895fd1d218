/* N threads; each tries to be the first to put its number into a shared variable with compare-and-swap and then writes
   the number in any case. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 5
#endif

static atomic_int x;

static void *worker(void *arg)
{
    int me = (int)(intptr_t)arg;
    int nobody = 0;
    atomic_compare_exchange_strong(&x, &nobody, me);
    atomic_store(&x, me);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int k = 0; k < N; k++)
        pthread_create(&threads[k], NULL, worker, (void *)(intptr_t)(k + 1));
    for (int k = 0; k < N; k++)
        pthread_join(threads[k], NULL);

    int end = atomic_load(&x);
    assert(1 <= end && end <= N);
    return 0;
}
