// exit called by a thread runs the atexit handlers while main is still waiting.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int joined;

static void check(void)
{
    assert(joined); //~ BUG(assertion)
}

static void *worker(void *arg)
{
    exit(0);
}

int main(void)
{
    pthread_t t;
    atexit(check);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    joined = 1;
    return 0;
}
