// The flag is set and signalled without the mutex. If that happens after the consumer has looked at
// the flag but before it waits, the wake-up is lost and the consumer waits for ever.
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t ready_changed = PTHREAD_COND_INITIALIZER;
int ready = 0;

void *producer(void *unused)
{
    ready = 1; // should be done with the mutex held
    pthread_cond_signal(&ready_changed);
    return NULL;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, producer, NULL);

    pthread_mutex_lock(&mutex);
    while (!ready)
        pthread_cond_wait(&ready_changed, &mutex);
    pthread_mutex_unlock(&mutex);

    pthread_join(thread, NULL);
    return 0;
}
