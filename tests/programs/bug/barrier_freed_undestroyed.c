// Who was let go may still look at a barrier that was not destroyed.
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t *barrier;

static void *meet(void *unused)
{
    (void)unused;
    if (pthread_barrier_wait(barrier) == PTHREAD_BARRIER_SERIAL_THREAD) //~ BUG(memory)
        free(barrier);
    return NULL;
}

int main(void)
{
    barrier = malloc(sizeof *barrier);
    pthread_barrier_init(barrier, NULL, 2);
    pthread_t other;
    pthread_create(&other, NULL, meet, NULL);
    meet(NULL);
    pthread_join(other, NULL);
    return 0;
}
