// A hand-made "once" without synchronisation runs the initialiser twice.
#include <assert.h>
#include <pthread.h>

static int done;
static int times;

static void *worker(void *arg)
{
    if (!done) {
        done = 1;
        __atomic_fetch_add(&times, 1, __ATOMIC_SEQ_CST);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(times == 1); //~ BUG(assertion)
    return 0;
}
