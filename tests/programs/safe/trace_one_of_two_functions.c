// A call by a pointer that another thread changes: one of two functions.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int result;

static void one(void)
{
    result = 1;
}

static void two(void)
{
    result = 2;
}

static void (*_Atomic handler)(void) = one;

static void *exchange(void *arg)
{
    handler = two;
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, exchange, NULL);
    handler();
    assert(result == 1 || result == 2);
    pthread_join(thread, NULL);
    return 0;
}
