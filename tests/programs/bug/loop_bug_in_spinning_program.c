// sleave: --unwind 2
// The spinning is cut by the bound, yet the missing lock in the second thread is found.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock;
static int counter;

static void *careful(void *arg)
{
    while (atomic_exchange(&lock, 1)) { }
    counter++;
    lock = 0;
    return NULL;
}

static void *careless(void *arg)
{
    counter++;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, careful, NULL);
    pthread_create(&b, NULL, careless, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2); //~ BUG(assertion)
    return 0;
}
