// Two threads both find the pointer set and both free it.
#include <pthread.h>
#include <stdlib.h>

static int *shared;

static void *release(void *arg)
{
    int *p = shared;
    if (p) {
        shared = NULL;
        free(p); //~ BUG(memory)
    }
    return 0;
}

int main(void)
{
    pthread_t t;
    shared = malloc(4);
    pthread_create(&t, 0, release, 0);
    release(0);
    pthread_join(t, 0);
    return 0;
}
