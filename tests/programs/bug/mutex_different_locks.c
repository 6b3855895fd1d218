// Each thread takes a lock, but not the same one.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int counter;

static void *worker(void *lock)
{
    pthread_mutex_lock(lock);
    counter++;
    pthread_mutex_unlock(lock);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, &locks[0]);
    pthread_create(&b, NULL, worker, &locks[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2); //~ BUG(assertion)
    return 0;
}
