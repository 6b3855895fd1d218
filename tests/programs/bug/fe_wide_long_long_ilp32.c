// sleave: -- -m32
// With 32 bits an access of 64 is two.
#include <assert.h>
#include <pthread.h>

static long long shared;

static void *writer(void *arg)
{
    shared = -1;
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    long long copy = shared;
    pthread_join(t, NULL);
    assert(copy == 0 || copy == -1); //~ BUG(assertion)
    return 0;
}
