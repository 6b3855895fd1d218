// An assumption in an atomic section does not exclude what goes wrong in the section before.
#include <pthread.h>

extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int divisor = 1, quotient;

static void *clear(void *arg)
{
    divisor = 0;
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, clear, NULL);
    __VERIFIER_atomic_begin();
    int by = divisor;
    quotient = 10 / by; //~ BUG(division by zero)
    __VERIFIER_assume(by != 0);
    __VERIFIER_atomic_end();
    pthread_join(thread, NULL);
    return 0;
}
