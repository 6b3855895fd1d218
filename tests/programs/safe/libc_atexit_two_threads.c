// Handlers that two threads register concurrently all run, each once.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int calls;

static void handler(void)
{
    calls++;
}

static void check(void)
{
    assert(calls == 2);
}

static void *worker(void *arg)
{
    atexit(handler);
    return NULL;
}

int main(void)
{
    pthread_t t, u;
    atexit(check);
    pthread_create(&t, NULL, worker, NULL);
    pthread_create(&u, NULL, worker, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
