// runs: 1
// The first thread is joined before the second is created: nothing is concurrent.
#include <assert.h>
#include <pthread.h>

static int x;

static void *worker(void *arg)
{
    x++;
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    assert(x == 2);
    return 0;
}
