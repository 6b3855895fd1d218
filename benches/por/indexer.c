/* Threads put their messages into one hash table without locks: a slot is taken with compare-and-swap, the next one is
   tried if it is not free. Up to 11 threads never meet; from then on, the more threads, the more collisions.
   After the first figure of Flanagan and Godefroid, "Dynamic partial-order reduction for model checking software"
   (POPL 2005). */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 12
#endif

#define SLOTS 128
#define MESSAGES 4

static atomic_int table[SLOTS];

static int hash(int message)
{
    return message * 7 % SLOTS;
}

static void *indexer(void *arg)
{
    int me = (int)(intptr_t)arg;

    for (int count = 1; count <= MESSAGES; count++) {
        int message = count * 11 + me;
        int slot = hash(message);
        int tried = 1;
        for (;;) {
            int empty = 0;
            if (atomic_compare_exchange_strong(&table[slot], &empty, message))
                break;
            slot = (slot + 1) % SLOTS;
            tried++;
        }
        assert(tried <= N * MESSAGES); /* there is room for all */
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int k = 0; k < N; k++)
        pthread_create(&threads[k], NULL, indexer, (void *)(intptr_t)k);
    for (int k = 0; k < N; k++)
        pthread_join(threads[k], NULL);
    return 0;
}
