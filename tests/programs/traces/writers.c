/* N threads write one variable: N! orders. */
#include <pthread.h>

#ifndef N
#define N 4
#endif

static int x;

static void *writer(void *arg)
{
    x = (int)(long)arg;
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (long k = 0; k < N; k++)
        pthread_create(&threads[k], NULL, writer, (void *)k);
    for (int k = 0; k < N; k++)
        pthread_join(threads[k], NULL);
    return 0;
}
