// Test, then set: between the two another thread passes the test as well.
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);

static volatile int locked;
static int counter;

static void *worker(void *arg)
{
    __VERIFIER_assume(!locked);
    locked = 1;
    counter++;
    locked = 0;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2); //~ BUG(assertion)
    return 0;
}
