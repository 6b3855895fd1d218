// runs: 6
// traces: 4
// A read and a write in each of two threads: C(4,2) interleavings, four of which fail in main.
// Traces: the reads commute. With the writes in a given order, the second writer may read before or after the first: 2 * 2.
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
