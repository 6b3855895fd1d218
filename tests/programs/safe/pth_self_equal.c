// pthread_self and pthread_equal tell threads apart.
#include <assert.h>
#include <pthread.h>

static pthread_t main_thread;

static void *worker(void *arg)
{
    assert(!pthread_equal(pthread_self(), main_thread));
    assert(pthread_equal(pthread_self(), pthread_self()));
    *(pthread_t *)arg = pthread_self();
    return NULL;
}

int main(void)
{
    pthread_t t, seen;
    main_thread = pthread_self();
    pthread_create(&t, NULL, worker, &seen);
    pthread_join(t, NULL);
    assert(pthread_equal(seen, t));
    return 0;
}
