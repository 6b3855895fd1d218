// Order violation: the worker uses the handle before main has stored it.
#include <pthread.h>

static int storage;
static int *handle;

static void *worker(void *arg)
{
    *handle = 1; //~ BUG(memory)
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    handle = &storage;
    pthread_join(t, NULL);
    return 0;
}
