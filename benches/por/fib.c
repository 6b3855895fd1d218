/* Fibonacci race: one thread adds j to i, the other adds i to j, N times each, while main looks at both.
   Taking strict turns makes them grow fastest; then the larger one ends as Fibonacci number 2N + 2.
   The reads of main are concurrent with the additions; the joins at the end only let every run be complete. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 5
#endif

static atomic_int i = 1, j = 1;

static void *add_to_i(void *arg)
{
    for (int round = 0; round < N; round++) {
        int a = atomic_load(&i);
        int b = atomic_load(&j);
        atomic_store(&i, a + b);
    }
    return arg;
}

static void *add_to_j(void *arg)
{
    for (int round = 0; round < N; round++) {
        int a = atomic_load(&j);
        int b = atomic_load(&i);
        atomic_store(&j, a + b);
    }
    return arg;
}

int main(void)
{
    int bound = 1, before = 1;
    for (int step = 0; step < 2 * N; step++) {
        int next = bound + before;
        before = bound;
        bound = next;
    }

    pthread_t first, second;
    pthread_create(&first, NULL, add_to_i, NULL);
    pthread_create(&second, NULL, add_to_j, NULL);

    int seen_i = atomic_load(&i);
    int seen_j = atomic_load(&j);
    assert(seen_i <= bound);
    assert(seen_j <= bound);

    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
