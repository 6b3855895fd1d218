// The flag is set without the mutex, but signalled with it: whoever has tested before waits by then.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int done;

static void *worker(void *arg)
{
    atomic_store(&done, 1);
    pthread_mutex_lock(&m);
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&m);
    while (!atomic_load(&done))
        pthread_cond_wait(&changed, &m);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
