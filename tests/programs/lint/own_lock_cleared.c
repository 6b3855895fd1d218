// One thread clears the lock without having set it.
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
    locked = 0;
}

static void *worker(void *arg)
{
    __VERIFIER_atomic_acquire();
    number++; //~ WARN(race)
    __VERIFIER_atomic_release();
    return arg;
}

static void *intruder(void *arg)
{
    __VERIFIER_atomic_release();
    return arg;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_create(&c, NULL, intruder, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
