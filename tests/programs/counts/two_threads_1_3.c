// runs: 4
// 1 write against 3: C(4,1) interleavings.
#include <pthread.h>

static int x;
static pthread_t t1, t2;

static void *first(void *arg)
{
    x = 1;
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
    pthread_create(&t1, NULL, first, NULL);
    pthread_create(&t2, NULL, second, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
