// sleave: --threads 2 --unwind 3
/* The other thread waits in a loop for what main writes once it has made all threads: no deadlock, and no proof. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready;

static void *wait_for_all(void *arg)
{
    while (!ready)
        ;
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, wait_for_all, NULL);
    pthread_create(&u, NULL, wait_for_all, NULL); //~ UNKNOWN(too many threads)
    ready = 1;
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
