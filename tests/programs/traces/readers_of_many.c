/* One thread writes N variables, each of N others reads one of them: 2^N cases. */
#include <pthread.h>

#ifndef N
#define N 4
#endif

static int x[N];

static void *writer(void *arg)
{
    for (int k = 0; k < N; k++)
        x[k] = 1;
    return arg;
}

static void *reader(void *arg)
{
    int *variable = arg;
    return (void *)(long)*variable;
}

int main(void)
{
    pthread_t first, others[N];
    pthread_create(&first, NULL, writer, NULL);
    for (int k = 0; k < N; k++)
        pthread_create(&others[k], NULL, reader, &x[k]);
    pthread_join(first, NULL);
    for (int k = 0; k < N; k++)
        pthread_join(others[k], NULL);
    return 0;
}
