// Two threads write at symbolic indices of a shared array: they may be the same.
#include <assert.h>
#include <pthread.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

static int a[3];
static unsigned char i, j;

static void *worker(void *arg)
{
    a[j] = 2;
    return NULL;
}

int main(void)
{
    pthread_t t;
    i = __VERIFIER_nondet_uchar();
    j = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(i < 3);
    __VERIFIER_assume(j < 3);
    pthread_create(&t, NULL, worker, NULL);
    a[i] = 1;
    pthread_join(t, NULL);
    assert(a[i] == 1); //~ BUG(assertion)
    return 0;
}
