// Of a long double the last two bytes come later.
#include <assert.h>
#include <pthread.h>

static long double shared = 1;

static void *writer(void *arg)
{
    shared = 3;
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    long double copy = shared;
    pthread_join(t, NULL);
    assert(copy == 1 || copy == 3); //~ BUG(assertion)
    return 0;
}
