/* The index, not the value, decides whether the element that is asserted about changes. */
#include <assert.h>
#include <pthread.h>

static int items[4];
static int next;

static void *put(void *arg)
{
    items[next] = 1;
    return arg;
}

static void *move(void *arg)
{
    next = 2;
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, put, NULL);
    pthread_create(&u, NULL, move, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(items[2] == 0); //~ BUG(assertion)
    return 0;
}
