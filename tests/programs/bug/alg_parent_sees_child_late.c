// Only if the input is 3 and the thread runs between the two reads does the assertion fail.
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);

static int x, n;

static void *worker(void *arg)
{
    if (n == 3) x = 1;
    return NULL;
}

int main(void)
{
    pthread_t t;
    n = __VERIFIER_nondet_int();
    pthread_create(&t, NULL, worker, NULL);
    int first = x;
    int second = x;
    assert(first == second); //~ BUG(assertion)
    pthread_join(t, NULL);
    return 0;
}
