// A join stores its result where another thread reads.
#include <pthread.h>

static void *result;

static void *nothing(void *arg)
{
    return 0;
}

static void *join(void *arg)
{
    pthread_t t;
    pthread_create(&t, 0, nothing, 0);
    pthread_join(t, &result);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, join, 0);
    void *seen = result;
    pthread_join(t, 0);
    return seen != 0;
}
