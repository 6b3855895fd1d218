/* P4 Figure 7: a write against a write and a read of the same variable. */
#include <assert.h>
#include <pthread.h>

static int a;

static void *first(void *arg)
{
    a = 0;
    return arg;
}

static void *second(void *arg)
{
    a = 1;
    if (a != 1)
        assert(0);
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, first, NULL);
    pthread_create(&u, NULL, second, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
