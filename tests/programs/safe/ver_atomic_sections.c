// Sections between __VERIFIER_atomic_begin and _end are not interleaved, not even with plain accesses.
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int a, b;

static void *writer(void *arg)
{
    __VERIFIER_atomic_begin();
    a = a + 1;
    b = b + 1;
    __VERIFIER_atomic_end();
    return NULL;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, writer, NULL);
    pthread_create(&u, NULL, writer, NULL);
    __VERIFIER_atomic_begin();
    assert(a == b);
    __VERIFIER_atomic_end();
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(a == 2 && b == 2);
    return 0;
}
