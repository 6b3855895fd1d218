// sleave: --property race
// A barrier orders what comes before it, not what comes after.
#include <pthread.h>

int value;
pthread_barrier_t barrier;

void *worker(void *arg)
{
    (void)arg;
    pthread_barrier_wait(&barrier);
    value = 1;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, worker, NULL);
    pthread_barrier_wait(&barrier);
    value = 2; //~ BUG(race)
    pthread_join(thread, NULL);
    return 0;
}
