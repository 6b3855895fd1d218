/* P4 Figure 9: two writes of each of two threads, and a reader that comes after all of them. */
#include <assert.h>
#include <pthread.h>

static int a;

static void *first(void *arg)
{
    a = 7;
    a = 6;
    return arg;
}

static void *second(void *arg)
{
    a = 0;
    a = 1;
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, first, NULL);
    pthread_create(&u, NULL, second, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(a != 7);
    return 0;
}
