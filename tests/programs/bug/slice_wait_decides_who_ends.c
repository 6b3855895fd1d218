/* The loop that waits for `ready` computes nothing, but whether it ends is whether the assertion is reached. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int ready, chosen;

static void *waiter(void *arg)
{
    while (ready == 0)
        ;
    assert(0); //~ BUG(assertion)
    return arg;
}

static void *releaser(void *arg)
{
    if (chosen == 1)
        ready = 1;
    else
        pthread_exit(NULL);
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, waiter, NULL);
    pthread_create(&u, NULL, releaser, NULL);
    chosen = 1;
    pthread_join(u, NULL);
    if (ready == 1)
        pthread_join(t, NULL);
    else
        _Exit(0);
    return 0;
}
