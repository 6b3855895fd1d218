// sleave: --property race
// Threads that create threads while others look at __libc_single_threaded: it is not written any more.
#include <pthread.h>
#include <sys/single_threaded.h>

static int seen[3];

static void *leaf(void *arg)
{
    seen[2] = __libc_single_threaded;
    return NULL;
}

static void *worker(void *arg)
{
    pthread_t t;
    int *own = arg;
    *own = __libc_single_threaded;
    if (own == &seen[0]) {
        pthread_create(&t, NULL, leaf, NULL);
        pthread_join(t, NULL);
    }
    return NULL;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, worker, &seen[0]);
    pthread_create(&u, NULL, worker, &seen[1]);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
