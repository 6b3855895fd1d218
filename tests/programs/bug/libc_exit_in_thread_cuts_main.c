// The handler may run before main has written: a thread exits meanwhile.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int done;

static void handler(void)
{
    assert(done); //~ BUG(assertion)
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
    done = 1;
    return 0;
}
