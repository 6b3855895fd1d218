// sleave: --property race
// Each thread holds a lock, but not the same one.
#include <pthread.h>

int counter;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&a);
    counter++;
    pthread_mutex_unlock(&a);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&b);
    counter++; //~ BUG(race)
    pthread_mutex_unlock(&b);
    pthread_join(thread, NULL);
    return 0;
}
