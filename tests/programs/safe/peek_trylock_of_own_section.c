// What a thread holds is busy also for itself: trylock in a section of the same lock makes it one that is looked at.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spinlock;
static int shared;

static void *work(void *arg)
{
    shared = 1;
    return arg;
}

int main(void)
{
    pthread_t thread;

    pthread_spin_init(&spinlock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&mutex);
    assert(pthread_mutex_trylock(&mutex) == EBUSY);
    pthread_mutex_unlock(&mutex);
    pthread_spin_lock(&spinlock);
    assert(pthread_spin_trylock(&spinlock) == EBUSY);
    pthread_spin_unlock(&spinlock);
    shared = 2;
    pthread_join(thread, NULL);
    return 0;
}
