/* The rest of the other thread is known from a summary while it still has the lock to read. There it gives the lock back, which
   could have been done before main takes it to read, and takes it to write. */
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int begun, written;

static void *reader_then_writer(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    begun = 1;
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
    written = 1;
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, reader_then_writer, NULL);
    int has_begun = begun;
    pthread_rwlock_rdlock(&lock);
    int seen = written;
    pthread_rwlock_unlock(&lock);
    assert(!has_begun || !seen); //~ BUG(assertion)
    return 0;
}
