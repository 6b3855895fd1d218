// A handler waits for a thread that exits, too, and so waits for the handler.
#include <pthread.h>
#include <stdlib.h>

static pthread_t t;

static void handler(void)
{
    pthread_join(t, NULL); //~ BUG(deadlock)
}

static void *worker(void *arg)
{
    exit(0);
}

int main(void)
{
    atexit(handler);
    pthread_create(&t, NULL, worker, NULL);
    return 0;
}
