// sleave: --property race
// One mutex, and memory that is written before the thread is made and after it is joined.
#include <pthread.h>

int counter;
pthread_mutex_t lock;

void *worker(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    counter = 1;
    pthread_mutex_init(&lock, NULL);
    pthread_create(&first, NULL, worker, NULL);
    pthread_create(&second, NULL, worker, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    counter++;
    pthread_mutex_destroy(&lock);
    return counter != 4;
}
