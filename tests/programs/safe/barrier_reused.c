// A barrier can be used again for the next phase.
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int left, right;

static void *worker(void *arg)
{
    left = 1;
    pthread_barrier_wait(&barrier);
    assert(right == 1);
    pthread_barrier_wait(&barrier);
    left = 2;
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t, NULL, worker, NULL);
    right = 1;
    pthread_barrier_wait(&barrier);
    assert(left == 1);
    pthread_barrier_wait(&barrier);
    right = 2;
    pthread_join(t, NULL);
    return 0;
}
