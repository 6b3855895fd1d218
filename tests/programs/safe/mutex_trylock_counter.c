// trylock: who gets the lock counts, who does not leaves the counter alone.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *worker(void *arg)
{
    int got = pthread_mutex_trylock(&m);
    if (got == 0) {
        counter++;
        pthread_mutex_unlock(&m);
        return (void *)1;
    }
    assert(got == EBUSY);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    void *first, *second;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, &first);
    pthread_join(b, &second);
    assert(counter == (long)first + (long)second);
    assert(counter >= 1);
    return 0;
}
