// Functions of integers as thread functions: what they are given and return is cut to size.
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);

typedef void *(*start)(void *);

static int negative(int x)
{
    assert(x == -1);
    return x;
}

static int second(int x, int y)
{
    (void)y;
    assert(x == -1);
    return 3;
}

static int input(void)
{
    int x = __VERIFIER_nondet_int();
    return x < 0 ? 0 : x;
}

int main(void)
{
    pthread_t t;
    void *result;
    pthread_create(&t, NULL, (start)negative, (void *)-1);
    pthread_join(t, NULL);
    pthread_create(&t, NULL, (start)second, (void *)-1);
    pthread_join(t, &result);
    assert((int)(long)result == 3);
    pthread_create(&t, NULL, (start)input, NULL);
    pthread_join(t, &result);
    assert((int)(long)result >= 0);
    long (*wide)(long) = (long (*)(long))negative;
    assert((int)wide(-1) == -1);
    return 0;
}
