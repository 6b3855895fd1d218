// A thread reaches a function without a model, only in some schedules.
#include <pthread.h>
extern void frobnicate_device(int port);

static int open_;

static void *worker(void *arg)
{
    if (open_)
        frobnicate_device(1); //~ UNKNOWN(unmodelled function: frobnicate_device)
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    open_ = 1;
    pthread_join(t, NULL);
    return 0;
}
