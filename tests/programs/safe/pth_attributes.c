// Thread attributes can be set and read back; a thread created detached runs.
#include <assert.h>
#include <pthread.h>

static void *worker(void *arg)
{
    return NULL;
}

int main(void)
{
    pthread_attr_t attr;
    pthread_t t;
    int state = -1;
    assert(pthread_attr_init(&attr) == 0);
    pthread_attr_getdetachstate(&attr, &state);
    assert(state == PTHREAD_CREATE_JOINABLE);
    assert(pthread_attr_setstacksize(&attr, 1 << 20) == 0);
    assert(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) == 0);
    pthread_attr_getdetachstate(&attr, &state);
    assert(state == PTHREAD_CREATE_DETACHED);
    assert(pthread_create(&t, &attr, worker, NULL) == 0);
    assert(pthread_attr_destroy(&attr) == 0);
    return 0;
}
