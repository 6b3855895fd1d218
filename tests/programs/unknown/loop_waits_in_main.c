// The thread that spins runs first and sees no one write yet.
#include <pthread.h>

static volatile int flag;

static void *setter(void *arg)
{
    flag = 1;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, setter, NULL);
    while (!flag) //~ UNKNOWN(loop bound)
        ;
    pthread_join(t, NULL);
    return 0;
}
