// The thread to which the variable belongs may have ended.
#include <pthread.h>
#include <stdatomic.h>

static _Thread_local int local;
static _Atomic(int *) shared;

static void *worker(void *arg)
{
    shared = &local;
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    int *p = shared;
    if (p)
        *p = 1; //~ BUG(memory)
    pthread_join(t, NULL);
    return 0;
}
