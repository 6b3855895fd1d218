// sleave: --por optimal
// Whoever asks for the wrong number waits for it for ever; with the right one the wait comes to an end.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static int number, wanted;

static void *waits(void *arg)
{
    while (number != wanted) //~ BUG(deadlock)
        ;
    return arg;
}

static void *writes(void *arg)
{
    number = 1;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    wanted = __VERIFIER_nondet_int();
    pthread_create(&a, NULL, waits, NULL);
    pthread_create(&b, NULL, writes, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
