// runs: 4
// P3 Figure 1 with a = 1, b = 0. T1 does W(y=2) R(y) and, if it read 2, R(y) again; T2 does W(y=1).
// T2 first: passes; T2 after the write: T1 enters complex_a and ends; T2 between the reads: the
// assertion fails; T2 last: passes. One of the four runs fails.
#include <assert.h>
#include <pthread.h>

static int y;

static int complex_a(int a)
{
    int local = a * 3; /* touches nothing shared */
    return local + 1;
}

static int complex_b(int b)
{
    return b - 1;
}

static void foo(int a)
{
    y = a + 1;
    if (y < 2)
        complex_a(a);
    else
        assert(y >= 2);
}

static void bar(int b)
{
    if (b >= 0)
        y = b + 1;
    else
        complex_b(b);
}

static void *thread1(void *arg)
{
    foo(1);
    return NULL;
}

static void *thread2(void *arg)
{
    bar(0);
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, NULL, thread1, NULL);
    pthread_create(&t2, NULL, thread2, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
