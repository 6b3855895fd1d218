// Opposite lock orders are harmless when a third lock is taken before both.
#include <pthread.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;

static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(&gate);
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
    pthread_mutex_unlock(&gate);
}

static void *forwards(void *arg)
{
    both(&a, &b);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, forwards, NULL);
    both(&b, &a);
    pthread_join(t, NULL);
    return 0;
}
