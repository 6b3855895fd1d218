// The first thread fails in the step in which it starts another one, which then asks, cannot go on
// with some replies, and fails with others: what one does after the fault of the other must neither
// be lost nor be taken for a part of its step.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);

static int shared;

static void *other(void *arg)
{
    int in = __VERIFIER_nondet_int();
    __VERIFIER_assume(in > 2);
    __VERIFIER_assume(in < 2 || in == 7);
    shared = in;
    assert(shared == 7);
    return arg;
}

int main(void)
{
    pthread_t t;
    int in = __VERIFIER_nondet_int();
    pthread_create(&t, NULL, other, NULL);
    assert(in != 5); //~ BUG(assertion)
    pthread_join(t, NULL);
    return shared;
}
