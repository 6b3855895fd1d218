// A variable of a thread that has ended is gone.
#include <pthread.h>

static __thread int own;
static int other;
static int *shared = &other;

static void *show(void *arg)
{
    shared = &own;
    own = 5;
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, show, NULL);
    int *seen = shared;
    int value = *seen; //~ BUG(memory)
    pthread_join(thread, NULL);
    return value;
}
