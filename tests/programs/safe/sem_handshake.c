// A semaphore passes data from one thread to the other.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t full;
static int data;

static void *producer(void *arg)
{
    data = 5;
    sem_post(&full);
    return NULL;
}

int main(void)
{
    pthread_t t;
    sem_init(&full, 0, 0);
    pthread_create(&t, NULL, producer, NULL);
    sem_wait(&full);
    assert(data == 5);
    pthread_join(t, NULL);
    sem_destroy(&full);
    return 0;
}
