// sleave: --property race
// Everything before a barrier comes before everything after it, for each of its uses.
#include <pthread.h>

int parts[2], sums[2];
pthread_barrier_t barrier;

static void work(int me)
{
    parts[me] = me + 1;
    pthread_barrier_wait(&barrier);
    sums[me] = parts[0] + parts[1];
    pthread_barrier_wait(&barrier);
    parts[me] = sums[1 - me];
}

void *worker(void *arg)
{
    (void)arg;
    work(1);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, worker, NULL);
    work(0);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&barrier);
    return 0;
}
