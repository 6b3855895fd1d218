// runs: 924
// 6 writes against 6: C(12,6) interleavings.
#include <pthread.h>

static int x;

static void *first(void *arg)
{
    x = 1;
    x = 2;
    x = 3;
    x = 4;
    x = 5;
    x = 6;
    return NULL;
}

static void *second(void *arg)
{
    x = 1;
    x = 2;
    x = 3;
    x = 4;
    x = 5;
    x = 6;
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, NULL, first, NULL);
    pthread_create(&t2, NULL, second, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
