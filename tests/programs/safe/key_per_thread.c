// Thread-specific data: each thread has its own value, null to begin with.
#include <assert.h>
#include <pthread.h>

static pthread_key_t key;

static void *worker(void *arg)
{
    assert(pthread_getspecific(key) == NULL);
    assert(pthread_setspecific(key, arg) == 0);
    assert(pthread_getspecific(key) == arg);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int x, y, z;
    assert(pthread_key_create(&key, NULL) == 0);
    pthread_setspecific(key, &z);
    pthread_create(&a, NULL, worker, &x);
    pthread_create(&b, NULL, worker, &y);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(pthread_getspecific(key) == &z);
    assert(pthread_key_delete(key) == 0);
    return 0;
}
