// A wait gives a recursive mutex back once; locked twice, it stays locked, and nobody can signal under it.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;

static void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m); //~ UNKNOWN(unmodelled instruction: a condition wait with a mutex that is locked twice)
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
