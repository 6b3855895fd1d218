// A thread that spins beside an atomic section that an assumption excludes after it has begun: no deadlock.
#include <pthread.h>
#include <stdatomic.h>

extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static atomic_int ready;
static int number;

static void *spin(void *arg)
{
    while (!ready)
        ;
    return arg;
}

static void *change(void *arg)
{
    number = 1;
    return arg;
}

static void *require(void *arg)
{
    __VERIFIER_atomic_begin();
    if (number == 0)
        number = number;
    __VERIFIER_assume(ready == 1);
    __VERIFIER_atomic_end();
    return arg;
}

int main(void)
{
    pthread_t first, second, third;
    pthread_create(&first, NULL, spin, NULL);
    pthread_create(&second, NULL, change, NULL);
    pthread_create(&third, NULL, require, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    pthread_join(third, NULL);
    return 0;
}
