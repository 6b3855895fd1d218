// runs: 5
// A failed assertion ends the run. T1: W(x) W(y); T2: R(x), assert(x == 0), W(y).
// W(x) before R(x): the run ends at R(x), with or without W(y) before it: 2 failing runs.
// R(x) first: T2's W(y) falls anywhere among T1's two writes: 3 runs.
#include <assert.h>
#include <pthread.h>

static int x, y;

static void *first(void *arg)
{
    x = 1;
    y = 1;
    return NULL;
}

static void *second(void *arg)
{
    assert(x == 0);
    y = 2;
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, NULL, first, NULL);
    pthread_create(&t2, NULL, second, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
