// That the barrier was destroyed does not mean that the others have come further.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t *barrier;
static int destroyed;

static void *meet(void *unused)
{
    (void)unused;
    if (pthread_barrier_wait(barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
        pthread_barrier_destroy(barrier);
        free(barrier);
        destroyed = 1;
    } else {
        assert(!destroyed); //~ BUG(assertion)
    }
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
