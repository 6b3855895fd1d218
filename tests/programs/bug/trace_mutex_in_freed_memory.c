// A mutex is locked in memory that another thread frees.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t *lock;

static void *release(void *arg)
{
    free(lock);
    return arg;
}

int main(void)
{
    lock = malloc(sizeof *lock);
    pthread_mutex_init(lock, NULL);
    pthread_mutex_t *own = lock;
    pthread_t thread;
    pthread_create(&thread, NULL, release, NULL);
    pthread_mutex_lock(own); //~ BUG(memory)
    pthread_join(thread, NULL);
    return 0;
}
