// Store buffering: under sequential consistency at least one of the threads sees the other's write.
#include <assert.h>
#include <pthread.h>

static int x, y;

static void *first(void *arg)
{
    x = 1;
    return (void *)(long)y;
}

static void *second(void *arg)
{
    y = 1;
    return (void *)(long)x;
}

int main(void)
{
    pthread_t a, b;
    void *saw_y, *saw_x;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, &saw_y);
    pthread_join(b, &saw_x);
    assert(saw_x || saw_y);
    return 0;
}
