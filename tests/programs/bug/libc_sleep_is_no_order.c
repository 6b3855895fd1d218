// Sleeping does not order threads.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

static int ready;

static void *worker(void *arg)
{
    ready = 1;
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    sched_yield();
    usleep(1000);
    sleep(1);
    assert(ready); //~ BUG(assertion)
    pthread_join(t, NULL);
    return 0;
}
