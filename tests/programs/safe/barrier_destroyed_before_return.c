// sleave: --property all
// The barrier lies on the stack of a function that returns once it is destroyed, and another barrier is made where it was.
#include <assert.h>
#include <pthread.h>

static int before;

static void *work(void *barrier)
{
    before = 1;
    pthread_barrier_wait(barrier);
    return NULL;
}

static pthread_t start(void)
{
    pthread_barrier_t barrier;
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, work, &barrier);
    pthread_barrier_wait(&barrier);
    pthread_barrier_destroy(&barrier);
    pthread_barrier_init(&barrier, NULL, 1);
    assert(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD && before);
    pthread_barrier_destroy(&barrier);
    return thread;
}

int main(void)
{
    pthread_join(start(), NULL);
    return 0;
}
