// Under a mutex nobody sees half of it; and 64 bits are one step.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static __int128 wide;
static long word;

static void *writer(void *arg)
{
    pthread_mutex_lock(&m);
    wide = (__int128)1 << 64 | 1;
    pthread_mutex_unlock(&m);
    word = -1;
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    pthread_mutex_lock(&m);
    __int128 copy = wide;
    pthread_mutex_unlock(&m);
    long other = word;
    pthread_join(t, NULL);
    assert(copy == 0 || copy == ((__int128)1 << 64 | 1));
    assert(other == 0 || other == -1);
    return 0;
}
