// P1, Figure 2, with one input more: only the run that reads x before both writes and between them fails. The state after its first
// read is left to a summary whose own runs were pruned: what these were pruned by is part of it.
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int x;

static void *writer(void *arg)
{
    x = 10;
    x = 20;
    return arg;
}

static void *reader(void *arg)
{
    int a = x;
    int b = x;
    assert(a <= b); //~ BUG(assertion)
    return arg;
}

int main(void)
{
    pthread_t t1, t2;
    x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x <= 11);
    pthread_create(&t1, NULL, writer, NULL);
    pthread_create(&t2, NULL, reader, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
