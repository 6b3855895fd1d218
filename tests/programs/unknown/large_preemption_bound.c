// sleave: --preemptions 1
// Only with two preemptions does the reader see both writes, one after the other.
#include <assert.h>
#include <pthread.h>

static volatile int x;

static void *writer(void *arg)
{
    x = 1;
    x = 2;
    return 0;
}

static void *reader(void *arg)
{
    int first = x;
    int second = x;
    assert(first != 1 || second != 2); //~ UNKNOWN(preemption bound)
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
