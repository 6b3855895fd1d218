// sleave: --no-spurious
// `if` instead of `while`: another consumer takes the item between the signal and the wake-up.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int items;

static void *thief(void *arg)
{
    pthread_mutex_lock(&m);
    if (items > 0) items--;
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *producer(void *arg)
{
    pthread_mutex_lock(&m);
    items++;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t t, u;
    pthread_mutex_lock(&m);
    pthread_create(&t, NULL, thief, NULL);
    pthread_create(&u, NULL, producer, NULL);
    if (items == 0)
        pthread_cond_wait(&c, &m);
    assert(items > 0); //~ BUG(assertion)
    pthread_mutex_unlock(&m);
    return 0;
}
