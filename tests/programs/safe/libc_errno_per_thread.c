// errno belongs to the thread.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static void *worker(void *arg)
{
    assert(errno == 0);
    errno = 7;
    return NULL;
}

int main(void)
{
    pthread_t t;
    errno = 3;
    pthread_create(&t, NULL, worker, NULL);
    assert(errno == 3);
    pthread_join(t, NULL);
    assert(errno == 3);
    return 0;
}
