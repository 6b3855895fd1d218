// The lock that is held while writing was locked for reading on one way.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int shared;

static void *worker(void *arg)
{
    if (arg)
        pthread_rwlock_wrlock(&lock);
    else
        pthread_rwlock_rdlock(&lock);
    shared++; //~ WARN(race)
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, worker, NULL);
    pthread_create(&second, NULL, worker, &shared);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
