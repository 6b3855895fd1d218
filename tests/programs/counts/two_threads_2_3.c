// runs: 10
// 2 writes against 3: C(5,2) interleavings.
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
    x = 3;
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
