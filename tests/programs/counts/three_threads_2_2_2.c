// runs: 90
// 2, 2 and 2 writes: 6! / (2! 2! 2!) interleavings.
#include <pthread.h>

static int x;

static void *first(void *arg)
{
    x = 1;
    x = 2;
    return NULL;
}

static void *second(void *arg)
{
    x = 1;
    x = 2;
    return NULL;
}

static void *third(void *arg)
{
    x = 1;
    x = 2;
    return NULL;
}

int main(void)
{
    pthread_t t1, t2, t3;
    pthread_create(&t1, NULL, first, NULL);
    pthread_create(&t2, NULL, second, NULL);
    pthread_create(&t3, NULL, third, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    pthread_join(t3, NULL);
    return 0;
}
