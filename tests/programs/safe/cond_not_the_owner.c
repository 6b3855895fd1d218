// A wait with a mutex that checks its owner, which the caller is not, is refused.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

int main(void)
{
    pthread_cond_t c = PTHREAD_COND_INITIALIZER;
    pthread_mutexattr_t attr;
    pthread_mutex_t m;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&m, &attr);
    assert(pthread_cond_wait(&c, &m) == EPERM);
    return 0;
}
