// A key that was deleted and made anew has no value in any thread, and the old value has no destructor any more.
#include <assert.h>
#include <pthread.h>

static pthread_key_t key;
static pthread_barrier_t barrier;
static int one, two;

static void destroy(void *value)
{
    assert(value == &two);
}

static void *worker(void *arg)
{
    pthread_setspecific(key, &one);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    assert(pthread_getspecific(key) == NULL);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_barrier_init(&barrier, NULL, 2);
    assert(pthread_key_create(&key, NULL) == 0);
    pthread_setspecific(key, &one);
    pthread_create(&t, NULL, worker, NULL);
    pthread_barrier_wait(&barrier);
    assert(pthread_key_delete(key) == 0);
    assert(pthread_key_create(&key, destroy) == 0);
    assert(pthread_getspecific(key) == NULL);
    pthread_setspecific(key, &two);
    pthread_barrier_wait(&barrier);
    assert(pthread_getspecific(key) == &two);
    pthread_join(t, NULL);
    return 0;
}
