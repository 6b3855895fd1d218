// The remainder by zero, after a race on the divisor.
#include <pthread.h>

static unsigned buckets = 4;

static void *shrink(void *arg)
{
    buckets = 0;
    buckets = 8;
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, shrink, 0);
    unsigned slot = 13 % buckets; //~ BUG(division by zero)
    pthread_join(t, 0);
    return slot > 100;
}
