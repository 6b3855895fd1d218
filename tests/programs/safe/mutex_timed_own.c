// A thread that waits for its own lock gets it in no time.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

int main(void)
{
    struct timespec soon = {1, 0};
    pthread_mutexattr_t attr;
    pthread_mutex_t normal, checked;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_NORMAL);
    pthread_mutex_init(&normal, &attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checked, &attr);
    pthread_mutex_lock(&normal);
    pthread_mutex_lock(&checked);
    assert(pthread_mutex_timedlock(&normal, &soon) == ETIMEDOUT);
    assert(pthread_mutex_timedlock(&checked, &soon) == EDEADLK);
    assert(pthread_mutex_trylock(&normal) == EBUSY);
    assert(pthread_mutex_trylock(&checked) == EBUSY);
    return 0;
}
