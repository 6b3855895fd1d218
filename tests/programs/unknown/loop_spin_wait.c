// sleave: --unwind 3
// A spin-wait: with an unfair scheduler it may turn more often than any bound.
#include <pthread.h>

static volatile int flag;

static void *setter(void *arg)
{
    flag = 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, setter, 0);
    while (!flag) { } //~ UNKNOWN(loop bound)
    pthread_join(t, 0);
    return 0;
}
