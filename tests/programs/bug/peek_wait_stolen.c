// sleave: --no-spurious
/* What follows a wait is a section of its own: between the signal and it, another thread may take what was there. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int items;

static void *waiter(void *arg)
{
    pthread_mutex_lock(&lock);
    if (items == 0)
        pthread_cond_wait(&more, &lock);
    assert(items > 0); //~ BUG(assertion)
    items--;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *thief(void *arg)
{
    pthread_mutex_lock(&lock);
    if (items > 0)
        items--;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, waiter, NULL);
    pthread_create(&u, NULL, thief, NULL);
    pthread_mutex_lock(&lock);
    items++;
    pthread_mutex_unlock(&lock);
    pthread_cond_signal(&more);
    pthread_join(u, NULL);
    return 0;
}
