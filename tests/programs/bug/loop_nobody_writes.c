// sleave: --por optimal
// The turn is given to the wrong thread: the other one waits for it for ever.
#include <pthread.h>

static volatile int turn;

static void *first(void *arg)
{
    while (turn != 1) //~ BUG(deadlock)
        ;
    return arg;
}

static void *second(void *arg)
{
    turn = 2;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
