/* Which function is called decides, and another thread chooses it. */
#include <assert.h>
#include <pthread.h>

static int x;

static void nothing(void)
{
}

static void change(void)
{
    x = 1;
}

static void (*action)(void) = nothing;

static void *act(void *arg)
{
    action();
    return arg;
}

static void *choose(void *arg)
{
    action = change;
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, act, NULL);
    pthread_create(&u, NULL, choose, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(x == 0); //~ BUG(assertion)
    return 0;
}
