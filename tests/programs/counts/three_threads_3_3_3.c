// runs: 1680
// 3, 3 and 3 writes: 9! / (3! 3! 3!) interleavings.
#include <pthread.h>

static int x;

static void *first(void *arg)
{
    x = 1;
    x = 2;
    x = 3;
    return NULL;
}

static void *second(void *arg)
{
    x = 1;
    x = 2;
    x = 3;
    return NULL;
}

static void *third(void *arg)
{
    x = 1;
    x = 2;
    x = 3;
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
