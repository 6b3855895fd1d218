/* One thread writes a variable, N threads read it: each of them comes before or after, 2^N cases. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 14
#endif

static atomic_int x;

static void *writer(void *arg)
{
    atomic_store(&x, 42);
    return arg;
}

static void *reader(void *arg)
{
    int seen = atomic_load(&x);
    assert(seen == 0 || seen == 42);
    return arg;
}

int main(void)
{
    pthread_t first, others[N];
    pthread_create(&first, NULL, writer, NULL);
    for (int k = 0; k < N; k++)
        pthread_create(&others[k], NULL, reader, NULL);
    pthread_join(first, NULL);
    for (int k = 0; k < N; k++)
        pthread_join(others[k], NULL);
    return 0;
}
