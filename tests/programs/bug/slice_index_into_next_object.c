// An index that is an input leads out of one object into another.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

static int a[4];
static int x;

static void *change(void *arg)
{
    long distance = &x - a;
    int i = __VERIFIER_nondet_int();
    if (i != distance)
        return arg;
    a[i] = 1;
    a[i] = 2;
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
