/* In the first run the sections have nothing in common: what the second does depends on what it finds before it, and only one
   order of the sections shows the conflict. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int a, b, started;

static void *first(void *arg)
{
    started = 1;
    pthread_mutex_lock(&lock);
    a = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *second(void *arg)
{
    int found = started;
    pthread_mutex_lock(&lock);
    if (found)
        b = a;
    pthread_mutex_unlock(&lock);
    assert(!found || b == 1); //~ BUG(assertion)
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, second, NULL);
    pthread_create(&u, NULL, first, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
