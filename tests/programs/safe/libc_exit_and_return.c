// A thread exits while main returns: one of them runs the handler, the other waits for the end.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int calls;

static void handler(void)
{
    calls++;
    assert(calls == 1);
}

static void *worker(void *arg)
{
    exit(0);
}

int main(void)
{
    pthread_t t;
    atexit(handler);
    pthread_create(&t, NULL, worker, NULL);
    return 0;
}
