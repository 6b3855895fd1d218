// sleave: --no-spurious --property lock-misuse
/* Who comes first to wait does not matter, unless they come with different mutexes: then the second one is wrong. */
#include <pthread.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *waiter(void *arg)
{
    pthread_mutex_t *lock = arg;
    pthread_mutex_lock(lock);
    pthread_cond_wait(&changed, lock); //~ BUG(lock misuse)
    pthread_mutex_unlock(lock);
    return NULL;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, waiter, &locks[0]);
    pthread_create(&u, NULL, waiter, &locks[1]);
    pthread_cond_broadcast(&changed);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
