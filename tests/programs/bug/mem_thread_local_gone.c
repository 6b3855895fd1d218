// A thread-local variable ends with its thread.
#include <pthread.h>

static __thread int local = 1;
static int *shared;

static void *worker(void *arg)
{
    shared = &local;
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    return *shared; //~ BUG(memory)
}
