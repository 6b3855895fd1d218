// A number that is an input is the address of what an assertion reads.
#include <assert.h>
#include <pthread.h>

unsigned long __VERIFIER_nondet_ulong(void);

static int x;

static void *change(void *arg)
{
    unsigned long number = __VERIFIER_nondet_ulong();
    if (number != (unsigned long)&x)
        return arg;
    *(int *)number = 1;
    *(int *)number = 2;
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, change, NULL);
    int seen = x;
    assert(seen != 1); //~ BUG(assertion)
    pthread_join(thread, NULL);
    return 0;
}
