// sleave: --property race,lock-misuse
// The mutex is initialised while another thread may be locking it.
#include <pthread.h>

pthread_mutex_t lock;

void *worker(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_init(&lock, NULL); //~ BUG(race)
    pthread_join(thread, NULL);
    return 0;
}
