// runs: 1
// Of the two orders one does not satisfy the assumption and is not a complete run.
#include <pthread.h>

extern void __VERIFIER_assume(int);

static int x;

static void *writer(void *arg)
{
    x = 1;
    return NULL;
}

static void *reader(void *arg)
{
    __VERIFIER_assume(x == 1);
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, NULL, writer, NULL);
    pthread_create(&t2, NULL, reader, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
