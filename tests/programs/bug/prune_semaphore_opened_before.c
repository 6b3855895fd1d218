// sleave: --property assertion
// Whether a thread can go on depends on the state.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t gate;
static int open_it, noise;

static void *opens(void *arg)
{
    if (open_it)
        sem_post(&gate);
    return arg;
}

static void *waits(void *arg)
{
    sem_wait(&gate);
    assert(0); //~ BUG(assertion)
    return arg;
}

static void *sets(void *arg)
{
    noise = 1;
    open_it = 1;
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    sem_init(&gate, 0, 0);
    pthread_create(&threads[0], NULL, opens, NULL);
    pthread_create(&threads[1], NULL, waits, NULL);
    pthread_create(&threads[2], NULL, sets, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[2], NULL);
    return 0;
}
