// sleave: --por source --prune summaries
// A lock that prefers writers is not modelled; a summary that was made with one that prefers readers says nothing of it.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
static pthread_rwlock_t lock;
static void *writer(void *arg) { pthread_rwlock_wrlock(&lock); pthread_rwlock_unlock(&lock); return 0; }
static void *reader(void *arg)
{
    pthread_rwlock_rdlock(&lock); //~ UNKNOWN(unmodelled instruction: a read-write lock that prefers writers)
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    return 0;
}
int main(void)
{
    pthread_rwlockattr_t attr;
    pthread_t t, u;
    pthread_rwlockattr_init(&attr);
    if (__VERIFIER_nondet_int())
        pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_READER_NP);
    else
        pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&lock, &attr);
    pthread_create(&t, 0, writer, 0);
    pthread_create(&u, 0, reader, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
