// Each thread spins on a flag that the other one sets; the second to spin does so before the first has come to its own flag.
#include <assert.h>
#include <pthread.h>

static volatile int ready, taken;
static int data;

static void *consumer(void *arg)
{
    while (!ready)
        ;
    assert(data == 0); //~ BUG(assertion)
    taken = 1;
    return arg;
}

static void *producer(void *arg)
{
    data = 1;
    ready = 1;
    while (!taken)
        ;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, consumer, NULL);
    pthread_create(&b, NULL, producer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
