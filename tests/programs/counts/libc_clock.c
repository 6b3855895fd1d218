// runs: 1
// traces: 1
// Threads that read clocks have nothing to do with each other.
#include <pthread.h>
#include <time.h>

static void *work(void *arg)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    clock();
    clock_gettime(CLOCK_MONOTONIC, &t);
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    work(NULL);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    work(NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
