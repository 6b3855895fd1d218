// A variable of a thread that has ended is used by one that was created before it.
#include <pthread.h>

static __thread int own;
static int other;
static int *shared = &other;

static void *look(void *arg)
{
    int *seen = shared;
    int value = *seen; //~ BUG(memory)
    return value ? arg : NULL;
}

static void *show(void *arg)
{
    shared = &own;
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, look, NULL);
    pthread_create(&second, NULL, show, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
