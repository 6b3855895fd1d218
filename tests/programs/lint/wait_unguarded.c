// The flag is atomic, so that nothing races; but it may be set and signalled between the test and the wait.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int done;

static void *worker(void *arg)
{
    atomic_store(&done, 1);
    pthread_cond_signal(&changed);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&m);
    while (!atomic_load(&done))
        pthread_cond_wait(&changed, &m); //~ WARN(endless wait)
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
