// A handler that is popped with 0 does not run: the lock stays taken.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void unlock(void *mutex)
{
    pthread_mutex_unlock(mutex);
}

static void *work(void *leave)
{
    pthread_mutex_lock(&m);
    pthread_cleanup_push(unlock, &m);
    if (leave)
        pthread_exit(NULL);
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, &m);
    pthread_join(t, NULL);
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    assert(pthread_mutex_trylock(&m) == 0); //~ BUG(assertion)
    return 0;
}
