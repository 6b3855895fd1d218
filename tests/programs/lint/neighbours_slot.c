// Every thread also reads the slot of its neighbour.
#include <pthread.h>

enum { N = 4 };
static long sums[N + 1];

static void *worker(void *arg)
{
    long number = (long)arg;
    sums[number] = number; //~ WARN(race)
    return (void *)sums[number + 1]; //~ WARN(race)
}

int main(void)
{
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return (int)sums[0];
}
