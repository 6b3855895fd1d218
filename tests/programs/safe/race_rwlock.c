// sleave: --property race
// Writers come after readers, and readers after writers.
#include <pthread.h>

int value;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

void *reader(void *arg)
{
    (void)arg;
    pthread_rwlock_rdlock(&lock);
    long seen = value;
    pthread_rwlock_unlock(&lock);
    return (void *)seen;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, reader, NULL);
    pthread_create(&second, NULL, reader, NULL);
    pthread_rwlock_wrlock(&lock);
    value = 1;
    pthread_rwlock_unlock(&lock);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
