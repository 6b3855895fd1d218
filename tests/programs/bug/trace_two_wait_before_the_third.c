// Two threads wait, each once, before the third one looks: the runs that a formula asks for must know how far a wait is.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int inside, open;

static void *enter(void *arg)
{
    pthread_mutex_lock(&lock);
    inside++;
    if (!open)
        pthread_cond_wait(&changed, &lock);
    inside--;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *let_in(void *arg)
{
    pthread_mutex_lock(&lock);
    assert(inside != 2); //~ BUG(assertion)
    open = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t first, second, third;
    pthread_create(&first, NULL, enter, NULL);
    pthread_create(&second, NULL, let_in, NULL);
    pthread_create(&third, NULL, enter, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    pthread_join(third, NULL);
    return 0;
}
