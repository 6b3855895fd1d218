// A time whose nanoseconds are a second or more is refused with EINVAL; the mutex stays locked.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static sem_t s;

int main(void)
{
    struct timespec never = {0, 1000000000};
    struct timespec negative = {0, -1};
    sem_init(&s, 0, 1);
    assert(pthread_rwlock_timedrdlock(&l, &never) == EINVAL);
    assert(pthread_rwlock_timedwrlock(&l, &negative) == EINVAL);
    assert(pthread_rwlock_trywrlock(&l) == 0);
    assert(sem_timedwait(&s, &never) == -1 && errno == EINVAL);
    assert(sem_trywait(&s) == 0);
    /* Of a mutex that is free the time does not matter. */
    assert(pthread_mutex_timedlock(&m, &never) == 0);
    assert(pthread_cond_timedwait(&c, &m, &never) == EINVAL);
    assert(pthread_cond_timedwait(&c, &m, &negative) == EINVAL);
    assert(pthread_mutex_unlock(&m) == 0);
    return 0;
}
