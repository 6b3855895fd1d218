// The waiter destroys the condition variable, once it is woken or sees that it need not wait, before it is signalled.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int done;

static void *finish(void *arg)
{
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_mutex_unlock(&lock);
    pthread_cond_broadcast(&changed); //~ BUG(lock misuse)
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, finish, NULL);
    pthread_mutex_lock(&lock);
    while (!done)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    pthread_cond_destroy(&changed);
    pthread_join(thread, NULL);
    return 0;
}
