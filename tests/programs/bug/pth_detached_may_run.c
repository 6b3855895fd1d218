// main returns at once, but the detached thread may have run before that.
#include <assert.h>
#include <pthread.h>

static int errors;

static void *worker(void *arg)
{
    errors++;
    assert(errors == 0); //~ BUG(assertion)
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_detach(t);
    return 0;
}
