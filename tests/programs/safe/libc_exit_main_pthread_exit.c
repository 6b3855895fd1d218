// Main ends as a thread, and the last of the others ends the process or exits: the handler runs once.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int calls;

static void handler(void)
{
    calls++;
    assert(calls == 1);
}

static void *exits(void *arg)
{
    exit(0);
}

static void *returns(void *arg)
{
    return NULL;
}

int main(void)
{
    pthread_t t, u;
    atexit(handler);
    pthread_create(&t, NULL, returns, NULL);
    pthread_create(&u, NULL, exits, NULL);
    pthread_exit(NULL);
}
