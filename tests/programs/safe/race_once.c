// sleave: --property race
// What a once routine did is there for everyone who called pthread_once.
#include <pthread.h>

int value;
pthread_once_t once = PTHREAD_ONCE_INIT;

void set(void)
{
    value = 42;
}

void *worker(void *arg)
{
    (void)arg;
    pthread_once(&once, set);
    return (void *)(long)value;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, worker, NULL);
    pthread_create(&second, NULL, worker, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
