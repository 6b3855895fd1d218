// When main calls pthread_exit, the other threads go on until they end.
#include <assert.h>
#include <pthread.h>

static int *cell;
static int storage;

static void *worker(void *arg)
{
    *cell = 5;
    assert(storage == 5);
    return NULL;
}

int main(void)
{
    pthread_t t;
    cell = &storage;
    pthread_create(&t, NULL, worker, NULL);
    pthread_exit(NULL);
}
