// A read-write lock is destroyed of which a reader has not given back its part.
#include <pthread.h>

int __VERIFIER_nondet_int(void);

static pthread_rwlock_t locks[2] = {PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};

static void *read_one(void *arg)
{
    int which = __VERIFIER_nondet_int() & 1;
    pthread_rwlock_rdlock(&locks[which]);
    pthread_rwlock_rdlock(&locks[0]);
    pthread_rwlock_unlock(&locks[0]);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, read_one, NULL);
    pthread_join(thread, NULL);
    pthread_rwlock_destroy(&locks[1]); //~ BUG(lock misuse)
    return 0;
}
