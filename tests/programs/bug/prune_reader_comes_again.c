/* Like prune_reader_gives_way.c, without sleep sets. */
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int written;

static void *reader_then_writer(void *arg)
{
    pthread_rwlock_rdlock(&lock);
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
    pthread_rwlock_rdlock(&lock);
    int seen = written;
    pthread_rwlock_unlock(&lock);
    assert(!seen); //~ BUG(assertion)
    return 0;
}
