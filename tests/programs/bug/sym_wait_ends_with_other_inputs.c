// sleave: --por optimal
// With one input both threads wait for each other, until the process ends; with all others the first does not wait.
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static int turn, passed;

static void *first(void *arg)
{
    while (turn == 7)
        ;
    passed = 1;
    return arg;
}

static void *second(void *arg)
{
    while (!passed)
        ;
    assert(turn != 5); //~ BUG(assertion)
    turn = 9;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    turn = __VERIFIER_nondet_int();
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    return 0;
}
