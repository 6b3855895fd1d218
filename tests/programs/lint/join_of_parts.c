// One loop joins what another loop and a single creation have started: afterwards the main thread is alone.
#include <pthread.h>

enum { N = 3 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_t threads[N];
static int number;

static void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    number++;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *last(void *arg)
{
    pthread_mutex_lock(&m);
    number += 10;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    for (int i = 0; i < N - 1; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    pthread_create(&threads[N - 1], NULL, last, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return number;
}
