// The destructor of a key runs when the thread ends, only for a value that is not null.
#include <assert.h>
#include <pthread.h>

static pthread_key_t key;
static int destroyed;

static void destroy(void *value)
{
    destroyed += *(int *)value;
    assert(pthread_getspecific(key) == NULL);
}

static void *with_value(void *arg)
{
    pthread_setspecific(key, arg);
    pthread_exit(NULL);
}

static void *without_value(void *arg)
{
    return pthread_getspecific(key);
}

int main(void)
{
    pthread_t t;
    int amount = 3;
    pthread_key_create(&key, destroy);
    pthread_create(&t, NULL, with_value, &amount);
    pthread_join(t, NULL);
    assert(destroyed == 3);
    pthread_create(&t, NULL, without_value, NULL);
    pthread_join(t, NULL);
    assert(destroyed == 3);
    return 0;
}
