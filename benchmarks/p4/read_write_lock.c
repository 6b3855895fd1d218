/* Two writers and two readers of a variable under a lock that lets readers in together and writers alone. What the readers
   leave for others to see multiplies the orders, and no assertion looks at it.
   P4, Table 2, ReadWriteLock; the program is that of SV-COMP's read_write_lock, after Flanagan, Freund and Qadeer,
   "Thread-modular verification for shared-memory programs" (ESOP 2002), which makes the lock of two counters. */
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value, copy;

static void *writer(void *arg)
{
    pthread_rwlock_wrlock(&lock);
    value = 3;
    pthread_rwlock_unlock(&lock);
    return arg;
}

static void *reader(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    int seen = value;
    copy = seen;
    assert(seen == value);
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[4];
    for (int k = 0; k < 4; k++)
        pthread_create(&threads[k], NULL, k % 2 == 0 ? writer : reader, NULL);
    for (int k = 0; k < 4; k++)
        pthread_join(threads[k], NULL);
    return 0;
}
