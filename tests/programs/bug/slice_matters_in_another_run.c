/* `y` matters only in runs in which its writer comes first: what was seen to matter in one run is not all that matters. */
#include <assert.h>
#include <pthread.h>

static int x, y;

static void *copier(void *arg)
{
    if (y == 1)
        x = 1;
    return arg;
}

static void *setter(void *arg)
{
    y = 1;
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, copier, NULL);
    pthread_create(&u, NULL, setter, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(x == 0); //~ BUG(assertion)
    return 0;
}
