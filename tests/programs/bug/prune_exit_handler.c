// Main exits at once if there are no exit handlers: that is a condition on the state.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int ready, value;

static void check(void)
{
    assert(0); //~ BUG(assertion)
}

static void *prepare(void *arg)
{
    ready = 1;
    return NULL;
}

static void *work(void *arg)
{
    value = 1;
    return NULL;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, prepare, NULL);
    if (ready)
        atexit(check);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, work, NULL);
    int seen = value;
    pthread_join(thread, NULL);
    return seen < 0;
}
