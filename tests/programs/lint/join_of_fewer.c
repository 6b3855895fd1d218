// The loop that joins, with a sign, ends one number before the one that creates, without: one thread may still run.
#include <pthread.h>
#include <stddef.h>

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
    for (size_t i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < N - 1; i++)
        pthread_join(threads[i], NULL);
    return number; //~ WARN(race)
}
