// A semaphore is asked for its value after it was destroyed.
#include <pthread.h>
#include <semaphore.h>

static sem_t free_places;

static void *look(void *arg)
{
    int value;
    sem_getvalue(&free_places, &value); //~ BUG(lock misuse)
    return arg;
}

int main(void)
{
    sem_init(&free_places, 0, 1);
    pthread_t thread;
    pthread_create(&thread, NULL, look, NULL);
    sem_destroy(&free_places);
    pthread_join(thread, NULL);
    return 0;
}
