/* N threads look under a lock whether they may go, and wait if they may not. All that counts is who came too early; with
   waiters in the order in which they came, that order, too. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int go;

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    while (!go)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[N];
    for (int k = 0; k < N; k++)
        pthread_create(&threads[k], NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    go = 1;
    pthread_mutex_unlock(&lock);
    pthread_cond_broadcast(&changed);
    for (int k = 0; k < N; k++)
        pthread_join(threads[k], NULL);
    return 0;
}
