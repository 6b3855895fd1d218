// A sequence lock: a reader that saw the same even number before and after has a consistent copy.
#include <assert.h>
#include <pthread.h>

static int sequence, a, b;

static void *writer(void *arg)
{
    sequence = 1;
    a = 1;
    b = 1;
    sequence = 2;
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    int before = sequence;
    int x = a, y = b;
    if (before % 2 == 0 && sequence == before)
        assert(x == y);
    pthread_join(t, NULL);
    return 0;
}
