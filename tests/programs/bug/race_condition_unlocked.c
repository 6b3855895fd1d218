// sleave: --property race
// A wait may end without a signal: then nothing orders the data.
#include <pthread.h>

int data;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

void *producer(void *arg)
{
    (void)arg;
    data = 42;
    pthread_cond_signal(&changed);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, producer, NULL);
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    data++; //~ BUG(race)
    pthread_join(thread, NULL);
    return 0;
}
