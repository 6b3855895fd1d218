// runs: 3
// The input decides whether the first thread writes at all. If it does: 2 orders of two writes.
// If not, the second thread's write stands alone: 1 run.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static int x, n;

static void *first(void *arg)
{
    if (n > 0)
        x = 1;
    return NULL;
}

static void *second(void *arg)
{
    x = 2;
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;
    n = __VERIFIER_nondet_int();
    pthread_create(&t1, NULL, first, NULL);
    pthread_create(&t2, NULL, second, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
