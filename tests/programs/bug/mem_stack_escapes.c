// A thread uses an object on the stack of a function that may have returned.
#include <pthread.h>

static pthread_t t;

static void *worker(void *arg)
{
    *(int *)arg = 1; //~ BUG(memory)
    return 0;
}

static void start(void)
{
    int local = 0;
    pthread_create(&t, 0, worker, &local);
}

int main(void)
{
    start();
    pthread_join(t, 0);
    return 0;
}
