/* Two readers come and go in any order. Before the second one comes, the first still has the lock; but it could have given it back by
   then, and taken it to write. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t is_reading, may_go_on;
static int written;

static void *reader_then_writer(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    sem_post(&is_reading);
    sem_wait(&may_go_on);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
    written = 1;
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    sem_init(&is_reading, 0, 0);
    sem_init(&may_go_on, 0, 0);
    pthread_create(&thread, NULL, reader_then_writer, NULL);
    sem_wait(&is_reading);
    sem_post(&may_go_on);
    pthread_rwlock_rdlock(&lock);
    int seen = written;
    pthread_rwlock_unlock(&lock);
    assert(!seen); //~ BUG(assertion)
    return 0;
}
