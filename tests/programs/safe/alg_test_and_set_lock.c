// A test-and-set lock; waiting is an assumption.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
extern void __VERIFIER_assume(int);

static atomic_flag lock = ATOMIC_FLAG_INIT;
static int counter;

static void *worker(void *arg)
{
    __VERIFIER_assume(!atomic_flag_test_and_set(&lock));
    counter++;
    atomic_flag_clear(&lock);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    return 0;
}
