/* N threads mark a cell of an array each, the one that a shared index points to at that moment; main moves the index on
   as soon as it has created a thread. A thread that is late marks a later cell, maybe one that is marked already. There
   are 2^N * N! cases. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 6
#endif

static atomic_int cells[N + 1];
static atomic_int position;

static void *mark(void *arg)
{
    int where = atomic_load(&position);
    atomic_store(&cells[where], 1);
    return arg;
}

int main(void)
{
    pthread_t threads[N];
    for (int k = 0; k < N; k++) {
        pthread_create(&threads[k], NULL, mark, NULL);
        atomic_store(&position, k + 1);
    }
    for (int k = 0; k < N; k++)
        pthread_join(threads[k], NULL);

    int sum = 0;
    for (int k = 0; k <= N; k++)
        sum += atomic_load(&cells[k]);
    assert(1 <= sum && sum <= N);
    return 0;
}
