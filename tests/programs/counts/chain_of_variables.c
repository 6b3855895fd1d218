// runs: 12
// traces: 4
// x is shared by the first two threads, y by the last two: 4! / (1! 2! 1!) interleavings.
// Two orders for each variable: 4 traces.
#include <pthread.h>

static int x, y;

static void *first(void *arg)
{
    x = 1;
    return NULL;
}

static void *second(void *arg)
{
    x = 2;
    y = 2;
    return NULL;
}

static void *third(void *arg)
{
    y = 3;
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
