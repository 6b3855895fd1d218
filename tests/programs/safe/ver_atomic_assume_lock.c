// An assume in an atomic function blocks before the section: a lock in three lines.
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);

static int locked, counter;

static void __VERIFIER_atomic_acquire(void)
{
    __VERIFIER_assume(locked == 0);
    locked = 1;
}

static void __VERIFIER_atomic_release(void)
{
    locked = 0;
}

static void *worker(void *arg)
{
    __VERIFIER_atomic_acquire();
    counter++;
    __VERIFIER_atomic_release();
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
