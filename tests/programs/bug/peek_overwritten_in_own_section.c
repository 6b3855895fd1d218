// An object is cleared, and the mutex in it, by the thread that holds the mutex.
#include <pthread.h>
#include <string.h>

static struct {
    pthread_mutex_t mutex;
    int value;
} object = { PTHREAD_MUTEX_INITIALIZER, 1 };

static void *work(void *arg)
{
    return arg;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&object.mutex);
    memset(&object, 0, sizeof object);
    pthread_mutex_unlock(&object.mutex); //~ BUG(lock misuse)
    pthread_join(thread, NULL);
    return 0;
}
