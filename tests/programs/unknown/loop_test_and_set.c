// sleave: --unwind 2
// A test-and-set lock that really spins.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock;
static int counter;

static void *worker(void *arg)
{
    while (atomic_exchange(&lock, 1)) { } //~ UNKNOWN(loop bound)
    counter++;
    lock = 0;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return counter != 2;
}
