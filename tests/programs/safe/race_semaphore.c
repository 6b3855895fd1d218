// sleave: --property race
// Two semaphores hand one buffer to and fro.
#include <pthread.h>
#include <semaphore.h>

int buffer;
sem_t empty, full;

void *producer(void *arg)
{
    (void)arg;
    for (int i = 0; i < 2; i++) {
        sem_wait(&empty);
        buffer = i;
        sem_post(&full);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    sem_init(&empty, 0, 1);
    sem_init(&full, 0, 0);
    pthread_create(&thread, NULL, producer, NULL);
    for (int i = 0; i < 2; i++) {
        sem_wait(&full);
        buffer++;
        sem_post(&empty);
    }
    sem_destroy(&full);
    pthread_join(thread, NULL);
    return 0;
}
