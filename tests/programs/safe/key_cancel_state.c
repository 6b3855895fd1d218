// The cancel state and type that a thread has had are given back; every thread has its own.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static void *worker(void *arg)
{
    int old = -1;
    assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0);
    assert(old == PTHREAD_CANCEL_ENABLE);
    return NULL;
}

int main(void)
{
    pthread_t t;
    int old = -1;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    assert(old == PTHREAD_CANCEL_ENABLE);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    assert(pthread_setcancelstate(2, &old) == EINVAL);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
    assert(old == PTHREAD_CANCEL_DISABLE);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
    assert(old == PTHREAD_CANCEL_DEFERRED);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old);
    assert(old == PTHREAD_CANCEL_ASYNCHRONOUS);
    return 0;
}
