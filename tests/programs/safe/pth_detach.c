// A detached thread and a mutex: whatever main sees, it is a consistent pair.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int a, b;

static void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    a = 1;
    b = 1;
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    assert(pthread_detach(t) == 0);
    pthread_mutex_lock(&m);
    assert(a == b);
    pthread_mutex_unlock(&m);
    return 0;
}
