// Whoever opens the barrier destroys it and gives it back: pthread_barrier_destroy waits until the others have gone.
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t *barrier;

static void *meet(void *unused)
{
    (void)unused;
    if (pthread_barrier_wait(barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
        pthread_barrier_destroy(barrier);
        free(barrier);
    }
    return NULL;
}

int main(void)
{
    barrier = malloc(sizeof *barrier);
    pthread_barrier_init(barrier, NULL, 3);
    pthread_t one, two;
    pthread_create(&one, NULL, meet, NULL);
    pthread_create(&two, NULL, meet, NULL);
    meet(NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
