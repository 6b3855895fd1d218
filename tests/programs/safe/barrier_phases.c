// After the barrier each thread sees what the other wrote before it; one of them is the serial thread.
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int slot[2];

static void *worker(void *arg)
{
    long me = (long)arg;
    slot[me] = 1;
    int rc = pthread_barrier_wait(&barrier);
    assert(slot[1 - me] == 1);
    return (void *)(long)(rc == PTHREAD_BARRIER_SERIAL_THREAD);
}

int main(void)
{
    pthread_t a, b;
    void *first, *second;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&a, NULL, worker, (void *)0);
    pthread_create(&b, NULL, worker, (void *)1);
    pthread_join(a, &first);
    pthread_join(b, &second);
    assert((long)first + (long)second == 1);
    pthread_barrier_destroy(&barrier);
    return 0;
}
