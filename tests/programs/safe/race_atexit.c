// sleave: --property race
// Two threads register exit handlers: the list is glibc's, which guards it.
#include <pthread.h>
#include <stdlib.h>

static void handler(void) {}

static void *worker(void *arg)
{
    atexit(handler);
    return NULL;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, worker, NULL);
    pthread_create(&u, NULL, worker, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
