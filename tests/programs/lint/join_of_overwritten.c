// The single creation overwrites a handle of the loop: one of the threads is never joined.
#include <pthread.h>

enum { N = 3 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_t threads[N];
static int number;

static void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    number++; //~ WARN(race)
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    pthread_create(&threads[N - 1], NULL, worker, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return number; //~ WARN(race)
}
