// sleave: --property race
// Holding a lock for reading does not allow to write.
#include <pthread.h>

int hits;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

void *worker(void *arg)
{
    (void)arg;
    pthread_rwlock_rdlock(&lock);
    hits++; //~ BUG(race)
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    worker(NULL);
    pthread_join(thread, NULL);
    return 0;
}
