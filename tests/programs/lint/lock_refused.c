// Where locking fails the lock is not held, and need not be unlocked.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int number;

static int change(void)
{
    int status = pthread_mutex_lock(&m);
    if (status != 0)
        return status;
    number++;
    return pthread_mutex_unlock(&m);
}

static void *worker(void *arg)
{
    change();
    change();
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
