// sleave: --threads 3
/* The others wait for a mutex that main will unlock once it has made all threads. That it stands still is not their fault. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *wait_for_all(void *arg)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    pthread_mutex_lock(&lock);
    for (int k = 0; k < 3; k++)
        pthread_create(&threads[k], NULL, wait_for_all, NULL); //~ UNKNOWN(too many threads)
    pthread_mutex_unlock(&lock);
    for (int k = 0; k < 3; k++)
        pthread_join(threads[k], NULL);
    return 0;
}
