// sleave: --all --por source
// On the inputs that the solver finds, the first round of the first thread's loop leaves its registers as they were: it is noticed to wait. In
// the search they are terms, and it is noticed a round later.
#include <pthread.h>
#include <stddef.h>

extern int __VERIFIER_nondet_int(void);

static int number, wanted;

static void *replace(void *arg)
{
    while (!__sync_bool_compare_and_swap(&number, wanted, 1))
        ;
    return arg;
}

static void *set(void *arg)
{
    number = wanted;
    while (number != 0) //~ BUG(deadlock)
        ;
    return arg;
}

int main(void)
{
    pthread_t t, u;
    wanted = __VERIFIER_nondet_int();
    pthread_create(&t, NULL, replace, NULL);
    pthread_create(&u, NULL, set, NULL);
    pthread_join(u, NULL);
    return 0;
}
