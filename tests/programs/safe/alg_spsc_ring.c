// A ring buffer for one producer and one consumer, one slot; waiting is an assumption.
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);

enum { SLOTS = 1 };
static int buffer[SLOTS];
static unsigned produced, consumed;

static void *producer(void *arg)
{
    for (unsigned i = 0; i < 2; i++) {
        __VERIFIER_assume(i - consumed < SLOTS);
        buffer[i % SLOTS] = (int)i + 1;
        produced = i + 1;
    }
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    for (unsigned i = 0; i < 2; i++) {
        __VERIFIER_assume(produced != i);
        assert(buffer[i % SLOTS] == (int)i + 1);
        consumed = i + 1;
    }
    pthread_join(t, NULL);
    return 0;
}
