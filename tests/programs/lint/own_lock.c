// A lock that the program makes for itself protects what is accessed between setting and clearing it, and itself.
#include <pthread.h>

extern void __VERIFIER_assume(int);

static int locked, number;

void __VERIFIER_atomic_acquire(void)
{
    __VERIFIER_assume(locked == 0);
    locked = 1;
}

void __VERIFIER_atomic_release(void)
{
    __VERIFIER_assume(locked == 1);
    locked = 0;
}

static void *worker(void *arg)
{
    __VERIFIER_atomic_acquire();
    if (locked)
        number++;
    __VERIFIER_atomic_release();
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
