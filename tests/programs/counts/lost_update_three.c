// runs: 90
// traces: 36
// A read and a write in each of three threads: 6! / (2! 2! 2!) interleavings.
// Traces: with the writes in a given order, the k-th writer reads at one of k places: 3! * 1 * 2 * 3.
#include <pthread.h>

static int counter;
static pthread_t t1, t2, t3;

static void *worker(void *arg)
{
    counter++;
    return NULL;
}

int main(void)
{
    pthread_create(&t1, NULL, worker, NULL);
    pthread_create(&t2, NULL, worker, NULL);
    pthread_create(&t3, NULL, worker, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    pthread_join(t3, NULL);
    return 0;
}
