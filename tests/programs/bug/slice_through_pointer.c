/* What the assertion reads is written through a pointer, which another thread has set. */
#include <assert.h>
#include <pthread.h>

static int relevant, other;
static int *target = &other;

static void *aim(void *arg)
{
    target = &relevant;
    return arg;
}

static void *shoot(void *arg)
{
    *target = 1;
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, shoot, NULL);
    pthread_create(&u, NULL, aim, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(relevant == 0); //~ BUG(assertion)
    return 0;
}
