// Write through a null pointer that a racing thread has reset.
#include <pthread.h>

static int cell;
static int *shared = &cell;

static void *reset(void *arg)
{
    shared = 0;
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, reset, 0);
    if (shared)
        *shared = 1; //~ BUG(memory)
    pthread_join(t, 0);
    return 0;
}
