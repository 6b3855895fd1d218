// Waiting by jumping back is a loop like any other: it has a bound.
#include <pthread.h>
#include <setjmp.h>

static volatile int flag;

static void *setter(void *arg)
{
    flag = 1;
    return arg;
}

int main(void)
{
    pthread_t t;
    jmp_buf again;
    pthread_create(&t, NULL, setter, NULL);
    setjmp(again);
    if (!flag)
        longjmp(again, 1); //~ UNKNOWN(loop bound)
    pthread_join(t, NULL);
    return 0;
}
