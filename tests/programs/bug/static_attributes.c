// Whether a thread is detached may be written in its attributes.
#include <pthread.h>

static void *worker(void *arg)
{
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_create(&t, &attributes, worker, 0);
    pthread_join(t, 0); //~ BUG(lock misuse)
    return 0;
}
