// runs: 4
// The reader branches on what it read. Writes against the read: C(3,1) = 3 orders. The initial value is an input, so
// the read before both writes has 2 feasible sides; after a write the value is known: 1 side each. 2 + 1 + 1.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static int x;
static pthread_t t1, t2;

static void *writer(void *arg)
{
    x = 10;
    x = 20;
    return NULL;
}

static void *reader(void *arg)
{
    int r;
    if (x > 15) r = 1;
    else r = 2;
    return (void *)(long)r;
}

int main(void)
{
    x = __VERIFIER_nondet_int();
    pthread_create(&t1, NULL, writer, NULL);
    pthread_create(&t2, NULL, reader, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
