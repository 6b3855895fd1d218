// A thread may hold a read lock many times, also beside another reader.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *reader(void *arg)
{
    pthread_rwlock_rdlock(&l);
    pthread_rwlock_unlock(&l);
    return NULL;
}

int main(void)
{
    pthread_t t;
    for (int i = 0; i < 100; i++)
        assert(pthread_rwlock_rdlock(&l) == 0);
    pthread_create(&t, NULL, reader, NULL);
    pthread_join(t, NULL);
    for (int i = 0; i < 100; i++) {
        assert(pthread_rwlock_trywrlock(&l) == EBUSY);
        assert(pthread_rwlock_unlock(&l) == 0);
    }
    assert(pthread_rwlock_trywrlock(&l) == 0);
    return 0;
}
