/* N threads write one variable. READER 0: nobody reads it; 1: main does in the end; 2: another thread does at some time. */
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif
#ifndef READER
#define READER 1
#endif

static int x;

static void *writer(void *arg)
{
    x = (int)(long)arg + 1;
    return NULL;
}

static void *reader(void *arg)
{
    int seen = x;
    assert(seen <= N);
    return arg;
}

int main(void)
{
    pthread_t threads[N], other;
    for (long k = 0; k < N; k++)
        pthread_create(&threads[k], NULL, writer, (void *)k);
    if (READER == 2)
        pthread_create(&other, NULL, reader, NULL);
    for (int k = 0; k < N; k++)
        pthread_join(threads[k], NULL);
    if (READER == 2)
        pthread_join(other, NULL);
    if (READER == 1)
        assert(x >= 1);
    return 0;
}
