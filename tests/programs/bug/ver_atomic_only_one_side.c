// The reader is atomic, the writer is not: the reader sees the half-way state.
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int a, b;

static void *writer(void *arg)
{
    a = 1;
    b = 1;
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    __VERIFIER_atomic_begin();
    assert(a == b); //~ BUG(assertion)
    __VERIFIER_atomic_end();
    pthread_join(t, NULL);
    return 0;
}
