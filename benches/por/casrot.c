/* N threads; thread k moves a shared variable on from k to k + 1 with one compare-and-swap, which fails if its turn has
   not come. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 10
#endif

static atomic_int x;

static void *rotate(void *arg)
{
    int from = (int)(intptr_t)arg;
    atomic_compare_exchange_strong(&x, &from, from + 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int k = 0; k < N; k++)
        pthread_create(&threads[k], NULL, rotate, (void *)(intptr_t)k);
    for (int k = 0; k < N; k++)
        pthread_join(threads[k], NULL);

    int end = atomic_load(&x);
    assert(1 <= end && end <= N);
    return 0;
}
