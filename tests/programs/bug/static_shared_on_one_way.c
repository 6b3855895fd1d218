// sleave: --property race
// A lock that is locked for reading on one way here and for writing on another does not exclude readers.
#include <pthread.h>

pthread_rwlock_t lock;
int x;

void *worker(void *arg)
{
    if (arg)
        pthread_rwlock_wrlock(&lock);
    else
        pthread_rwlock_rdlock(&lock);
    x++; //~ BUG(race)
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, 0, worker, 0);
    pthread_create(&second, 0, worker, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
