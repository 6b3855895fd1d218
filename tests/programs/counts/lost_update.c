// runs: 6
// A read and a write in each of two threads: C(4,2) interleavings, four of which fail in main.
#include <assert.h>
#include <pthread.h>

static int counter;

static void *worker(void *arg)
{
    int seen = counter;
    counter = seen + 1;
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, NULL, worker, NULL);
    pthread_create(&t2, NULL, worker, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(counter == 2);
    return 0;
}
