// Thread-local variables begin when they are first used, in an order that depends on what was read before.
#include <assert.h>
#include <pthread.h>

static int x;
static _Thread_local int chosen = 1, counted = 2;

static void *reader(void *arg)
{
    if (x == 1)
        chosen = 5;
    counted++;
    if (x == 2)
        assert(chosen + counted != 8); //~ BUG(assertion)
    return arg;
}

static void *writer(void *arg)
{
    x = 1;
    x = 2;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, reader, NULL);
    pthread_create(&b, NULL, writer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
