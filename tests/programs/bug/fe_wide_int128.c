// A plain access of 128 bits is two: a reader may see one half.
#include <assert.h>
#include <pthread.h>

static __int128 shared;

static void *writer(void *arg)
{
    shared = (__int128)1 << 64 | 1;
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    __int128 copy = shared;
    pthread_join(t, NULL);
    assert(copy == 0 || copy == ((__int128)1 << 64 | 1)); //~ BUG(assertion)
    return 0;
}
