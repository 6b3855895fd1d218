// sleave: --property all
// No thread reads a time before what was read when there were none. Reading a clock is no race.
#include <assert.h>
#include <pthread.h>
#include <time.h>

static long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

static long times[2];

static void *work(void *arg)
{
    *(long *)arg = now();
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    long start = now();
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &times[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    long end = now();
    for (int i = 0; i < 2; i++)
        assert(start <= times[i]);
    assert(start <= end);
    return 0;
}
