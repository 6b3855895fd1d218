// sleave: --por optimal
// The thread does nothing but wait, for what nobody ever writes.
#include <pthread.h>

static volatile int ready;

static void *waits(void *arg)
{
    while (!ready) //~ BUG(deadlock)
        ;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, waits, NULL);
    pthread_join(t, NULL);
    return 0;
}
