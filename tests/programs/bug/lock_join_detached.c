// A detached thread may have ended, and its handle with it: nobody may join it.
#include <pthread.h>

static void *worker(void *arg)
{
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_detach(t);
    return pthread_join(t, NULL); //~ BUG(lock misuse)
}
