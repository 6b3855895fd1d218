// runs: 6
// P1 Figure 2: two writes against two reads, C(4,2) interleavings; x <= 10 makes the assertion hold in all of them.
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int x;

static void *writer(void *arg)
{
    x = 10;
    x = 20;
    return NULL;
}

static void *reader(void *arg)
{
    int a = x;
    int b = x;
    assert(a <= b);
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;
    x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x <= 10);
    pthread_create(&t1, NULL, writer, NULL);
    pthread_create(&t2, NULL, reader, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
