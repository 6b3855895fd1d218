// With some inputs an atomic section waits for ever, with others it can be gone through.
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int value, waits;

static void *writer(void *arg)
{
    value = 2;
    return arg;
}

static void *section(void *arg)
{
    __VERIFIER_atomic_begin();
    int seen = value;
    if (waits > 0)
        __VERIFIER_assume(seen == 1);
    __VERIFIER_atomic_end();
    assert(0); //~ BUG(assertion)
    return arg;
}

int main(void)
{
    waits = __VERIFIER_nondet_int();
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, section, NULL);
    return 0;
}
