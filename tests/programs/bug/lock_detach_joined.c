// A handle of a thread that was joined is of no use.
#include <pthread.h>

static void *worker(void *arg)
{
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    return pthread_detach(t); //~ BUG(lock misuse)
}
