// What a join stores is seen by another thread, or not yet.
#include <assert.h>
#include <pthread.h>

static void *result;

static void *give(void *arg)
{
    return &result;
}

static void *join(void *arg)
{
    pthread_t t;
    pthread_create(&t, 0, give, 0);
    pthread_join(t, &result);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, join, 0);
    void *seen = result;
    pthread_join(t, 0);
    assert(seen == 0); //~ BUG(assertion)
}
