// expect: safe
// As `livelock_ring_of_five.c`, but the consumer waits for no more than is produced.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
enum { SLOTS = 2, ROUNDS = 5 };
static atomic_int produced, consumed;
static int seen, data[SLOTS];
static void *producer(void *x)
{
    for (int i = 0; i < ROUNDS; i++) {
        while (i - consumed == SLOTS)
            ;
        data[i % SLOTS] = i;
        produced = i + 1;
    }
    return 0;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, producer, 0);
    for (int i = 0; i < ROUNDS; i++) {
        while (seen == i)
            seen = produced;
        assert(data[i % SLOTS] == i);
        consumed = i + 1;
    }
    pthread_join(t, 0);
}
