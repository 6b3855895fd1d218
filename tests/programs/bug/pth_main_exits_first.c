// After main's pthread_exit the program is not over: the thread still fails.
#include <assert.h>
#include <pthread.h>

static void *worker(void *arg)
{
    assert(arg != NULL); //~ BUG(assertion)
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_exit(NULL);
}
