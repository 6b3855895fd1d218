// Every thread writes the slot of the number that it was given.
#include <pthread.h>

enum { N = 4 };
static long sums[N];
static struct {
    int begun, ended;
} progress[N];

static void *worker(void *arg)
{
    long number = (long)arg;
    int same = (int)(long)arg;
    progress[same].begun = 1;
    sums[number] += number;
    progress[same].ended = 1;
    return NULL;
}

static void *single(void *arg)
{
    sums[(long)arg]++;
    return NULL;
}

int main(void)
{
    pthread_t t[N], a, b;
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    pthread_create(&a, NULL, single, (void *)0);
    pthread_create(&b, NULL, single, (void *)1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return (int)sums[0];
}
