// sleave: --no-spurious --property assertion
/* Both signals are made in one critical section, but not of the mutex with which the other thread waits: it may go on between them. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t first = PTHREAD_COND_INITIALIZER, second = PTHREAD_COND_INITIALIZER;

static void *waiter(void *arg)
{
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&first, &lock);
    pthread_cond_wait(&second, &lock);
    pthread_mutex_unlock(&lock);
    assert(0); //~ BUG(assertion)
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, waiter, NULL);
    pthread_mutex_lock(&other);
    pthread_cond_signal(&first);
    pthread_cond_signal(&second);
    pthread_mutex_unlock(&other);
    pthread_join(t, NULL);
    return 0;
}
