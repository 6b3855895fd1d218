/* Threads put their messages into one hash table; compare-and-swap is made of a lock for each slot
   (-DATOMIC: it is an instruction). Up to 11 threads never meet;
   from then on, the more threads, the more collisions. The assertion is about the slot where a thread begins to look, which
   no other thread can change.
   P4, Figure 1 and Table 2, IndexerSafe12 .. 15, after the first figure of Flanagan and Godefroid, "Dynamic partial-order
   reduction for model checking software" (POPL 2005). */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef N
#define N 12
#endif

#define SLOTS 128
#define MESSAGES 4

static int table[SLOTS];
static pthread_mutex_t locks[SLOTS];

#ifdef ATOMIC
static bool compare_and_swap(int slot, int expected, int desired)
{
    return __sync_bool_compare_and_swap(&table[slot], expected, desired);
}
#else
static bool compare_and_swap(int slot, int expected, int desired)
{
    bool swapped = false;
    pthread_mutex_lock(&locks[slot]);
    if (table[slot] == expected) {
        table[slot] = desired;
        swapped = true;
    }
    pthread_mutex_unlock(&locks[slot]);
    return swapped;
}
#endif

static void *indexer(void *arg)
{
    int me = (int)(intptr_t)arg;
    for (int count = 1; count <= MESSAGES; count++) {
        int message = count * 11 + me;
        int slot = message * 7 % SLOTS;
        assert(slot >= 0);
        while (!compare_and_swap(slot, 0, message))
            slot = (slot + 1) % SLOTS;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int k = 0; k < SLOTS; k++)
        pthread_mutex_init(&locks[k], NULL);
    for (int k = 0; k < N; k++)
        pthread_create(&threads[k], NULL, indexer, (void *)(intptr_t)k);
    for (int k = 0; k < N; k++)
        pthread_join(threads[k], NULL);
    return 0;
}
