// main does not wait for the thread before it looks at the result.
#include <assert.h>
#include <pthread.h>

int result;

static void *worker(void *arg)
{
    result = 1;
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    assert(result == 1); //~ BUG(assertion)
    pthread_join(t, NULL);
    return 0;
}
