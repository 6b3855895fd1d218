/* Two threads add each other's variable to their own, N times; nobody else looks. */
#include <pthread.h>

#ifndef N
#define N 2
#endif

static int i = 1, j = 1;

static void *first(void *arg)
{
    for (int k = 0; k < N; k++)
        i += j;
    return arg;
}

static void *second(void *arg)
{
    for (int k = 0; k < N; k++)
        j += i;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
