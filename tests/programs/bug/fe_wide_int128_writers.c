// Two writers, whose halves may mix.
#include <assert.h>
#include <pthread.h>

static volatile __int128 shared;

static void *writer(void *arg)
{
    shared = (__int128)1 << 64 | 1;
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    shared = (__int128)2 << 64 | 2;
    pthread_join(t, NULL);
    assert((long)shared == (long)(shared >> 64)); //~ BUG(assertion)
    return 0;
}
