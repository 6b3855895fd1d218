// An address that is computed from that of one object and an input leads into another.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

static int a[4];
static int x;

static void *change(void *arg)
{
    long distance = (long)&x - (long)a;
    int i = __VERIFIER_nondet_int();
    if (i != distance)
        return arg;
    int *p = (int *)((long)a + i);
    *p = 1;
    *p = 2;
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
