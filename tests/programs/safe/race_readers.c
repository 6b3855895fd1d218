// sleave: --property race
// Readers do not race with each other.
#include <pthread.h>

int shared = 7;

void *reader(void *arg)
{
    (void)arg;
    return (void *)(long)shared;
}

int main(void)
{
    shared++;
    pthread_t first, second;
    pthread_create(&first, NULL, reader, NULL);
    pthread_create(&second, NULL, reader, NULL);
    int seen = shared;
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    shared = seen;
    return 0;
}
