// A thread that reads wants to write: it waits for itself.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *reader(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, reader, NULL);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_wrlock(&lock); //~ BUG(deadlock)
    pthread_rwlock_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
