/* Two writes next to each other, and one of the writers itself looks at which came last. */
#include <assert.h>
#include <pthread.h>

static int x;

static void *writer(void *arg)
{
    x = 2;
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    x = 1;
    pthread_join(thread, NULL);
    assert(x == 1); //~ BUG(assertion)
    return 0;
}
