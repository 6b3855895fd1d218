// sleave: --no-spurious
// Which waiter a signal wakes is open: the one that waited longer need not come first.
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int waiting, first_awake;

static void *waiter(void *arg)
{
    pthread_mutex_lock(&m);
    int place = ++waiting;
    pthread_cond_wait(&c, &m);
    if (first_awake == 0) first_awake = place;
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, waiter, NULL);
    pthread_create(&b, NULL, waiter, NULL);
    pthread_mutex_lock(&m);
    __VERIFIER_assume(waiting == 2);
    pthread_cond_signal(&c);
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(first_awake == 1); //~ BUG(assertion)
    return 0;
}
