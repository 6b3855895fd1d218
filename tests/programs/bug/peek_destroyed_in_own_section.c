// A mutex is destroyed by the thread that holds it, while another thread is there.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
    return arg;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&mutex);
    pthread_mutex_destroy(&mutex); //~ BUG(lock misuse)
    pthread_join(thread, NULL);
    return 0;
}
