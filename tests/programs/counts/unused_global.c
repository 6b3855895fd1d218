// runs: 2
// Only x is shared. The globals that one thread alone touches cost nothing: 2 orders of the two writes.
#include <pthread.h>

static int x, only_first, only_second;

static void *first(void *arg)
{
    only_first = 1;
    x = 1;
    only_first = 2;
    return NULL;
}

static void *second(void *arg)
{
    only_second = 1;
    x = 2;
    only_second = 2;
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, NULL, first, NULL);
    pthread_create(&t2, NULL, second, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
