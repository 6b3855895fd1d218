// runs: 54
// P1 Figure 4: C(4,2) = 6 orders of the four atomic increments. For x and for y apart the
// branches of the two threads have three feasible outcomes: the first increment sees 0 (the second
// then sees 1), or it does not, and then the second sees 0 or not. 6 * 3 * 3 = 54.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static int x, y;

static void *first(void *arg)
{
    int a = __atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST), result = 0;
    if (a == 0) result = 1;
    else result = 2;
    a = __atomic_fetch_add(&y, 1, __ATOMIC_SEQ_CST);
    if (a == 0) result += 3;
    else result += 4;
    return (void *)(long)result;
}

static void *second(void *arg)
{
    int b = __atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST), result = 0;
    if (b == 0) result = 1;
    else result = 2;
    b = __atomic_fetch_add(&y, 1, __ATOMIC_SEQ_CST);
    if (b == 0) result += 3;
    else result += 4;
    return (void *)(long)result;
}

int main(void)
{
    pthread_t t1, t2;
    x = __VERIFIER_nondet_int();
    y = __VERIFIER_nondet_int();
    pthread_create(&t1, NULL, first, NULL);
    pthread_create(&t2, NULL, second, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
