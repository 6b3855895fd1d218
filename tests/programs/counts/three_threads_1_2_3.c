// runs: 60
// 1, 2 and 3 writes: 6! / (1! 2! 3!) interleavings.
#include <pthread.h>

static int x;
static pthread_t t1, t2, t3;

static void *first(void *arg)
{
    x = 1;
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
    x = 3;
    return NULL;
}

int main(void)
{
    pthread_create(&t1, NULL, first, NULL);
    pthread_create(&t2, NULL, second, NULL);
    pthread_create(&t3, NULL, third, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    pthread_join(t3, NULL);
    return 0;
}
