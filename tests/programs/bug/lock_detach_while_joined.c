// A thread detaches itself; main may have joined it before, or joins it after.
#include <pthread.h>

static void *worker(void *arg)
{
    pthread_detach(pthread_self());
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL); //~ BUG(lock misuse)
    return 0;
}
