// expect: bug (assertion)
// sleave: --no-spurious --property assertion
// The second round of the signaller's loop that wakes the waiter changes nothing else than that.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int done;
static void *waiter(void *x)
{
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m);
    pthread_cond_wait(&c, &m);
    done = 1;
    pthread_mutex_unlock(&m);
    done = 2;
    return 0;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, waiter, 0);
    while (!done)
        pthread_cond_signal(&c);
    assert(done == 1);
    pthread_join(t, 0);
}
