// A thread is about to wait for a semaphore that is free when another thread destroys it: it must be told so, not wait for ever.
#include <pthread.h>
#include <semaphore.h>

static sem_t sem;

static void *worker(void *arg)
{
    sem_wait(&sem); //~ BUG(lock misuse)
    return arg;
}

int main(void)
{
    pthread_t t;
    sem_init(&sem, 0, 1);
    pthread_create(&t, NULL, worker, NULL);
    sem_destroy(&sem);
    pthread_join(t, NULL);
    return 0;
}
