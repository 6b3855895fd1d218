/* The thread is woken for no reason, takes a mutex that nobody else uses, and reads something that nothing depends on: to the search none of
   this is an operation that others could see, and the turn that woke it is used for the write after it. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int begun, result;

static void *waiter(void *arg)
{
    if (begun) {
        pthread_mutex_lock(&mutex);
        pthread_cond_wait(&condition, &mutex);
        int unused = begun;
        (void)unused;
        result = 1;
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    begun = 1;
    assert(result != 1); //~ BUG(assertion)
    return 0;
}
