// A writer that waits keeps a second read lock of the same thread out: this deadlocks.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

static void *writer(void *arg)
{
    pthread_rwlock_wrlock(&l);
    pthread_rwlock_unlock(&l);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    pthread_rwlock_rdlock(&l); //~ UNKNOWN(unmodelled instruction: a read-write lock that prefers writers)
    pthread_rwlock_rdlock(&l);
    pthread_rwlock_unlock(&l);
    pthread_rwlock_unlock(&l);
    pthread_join(t, NULL);
    return 0;
}
