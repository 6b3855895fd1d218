// __libc_single_threaded is true until the first thread is created and false from then on, for every thread.
#include <assert.h>
#include <pthread.h>
#include <sys/single_threaded.h>

static void *worker(void *arg)
{
    assert(!__libc_single_threaded);
    return NULL;
}

int main(void)
{
    pthread_t t, u;
    assert(__libc_single_threaded);
    pthread_create(&t, NULL, worker, NULL);
    assert(!__libc_single_threaded);
    pthread_create(&u, NULL, worker, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(!__libc_single_threaded);
    return 0;
}
