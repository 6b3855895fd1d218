// However many sit in a circle, the lines are the same: one warning.
#include <pthread.h>

enum { N = 5 };
static pthread_mutex_t forks[N];

static void *philosopher(void *arg)
{
    long i = (long)arg;
    pthread_mutex_lock(&forks[i]);
    pthread_mutex_lock(&forks[(i + 1) % N]); //~ WARN(lock order)
    pthread_mutex_unlock(&forks[(i + 1) % N]);
    pthread_mutex_unlock(&forks[i]);
    return NULL;
}

int main(void)
{
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, philosopher, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return 0;
}
