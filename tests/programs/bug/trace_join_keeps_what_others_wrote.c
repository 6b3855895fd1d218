// A thread writes one half of a variable, main the other half meanwhile. Joining the thread leaves main's half.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

static void *write_low(void *arg)
{
    *(int *)arg = 1;
    return NULL;
}

int main(void)
{
    long both = 0;
    int *halves = (int *)&both;
    pthread_t thread;
    pthread_create(&thread, NULL, write_low, halves);
    halves[1] = __VERIFIER_nondet_int();
    pthread_join(thread, NULL);
    assert(both >> 32 != 12345); //~ BUG(assertion)
    return 0;
}
