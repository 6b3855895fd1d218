// A waiter may wake without a signal while another thread has yet to reach an assumption that stops it.
#include <assert.h>
#include <pthread.h>

void __VERIFIER_assume(int);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *waiter(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m);
    assert(0); //~ BUG(assertion)
    return arg;
}

static void *stopped(void *arg)
{
    __VERIFIER_assume(0);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, waiter, NULL);
    pthread_create(&b, NULL, stopped, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
