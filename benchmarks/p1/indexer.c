/* Two threads put their messages into one hash table; compare-and-swap is made of a lock for each slot. Whether a message of
   the second thread begins to look at the slot of the first's is an input, one for each message. A slot is never negative:
   safe.
   P1, Table 2, indexertrue; the algorithm is that of the first figure of Flanagan and Godefroid, "Dynamic partial-order
   reduction for model checking software" (POPL 2005). Two messages meet in one of two orders or do not meet, and there are 81
   = 3 * 3 * 3 * 3 cases, as in the paper. The classic DPOR, which has no sleep sets, follows some of them more than once. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef MESSAGES
#define MESSAGES 4
#endif

#define SLOTS 128

extern _Bool __VERIFIER_nondet_bool(void);

static int table[SLOTS];
static pthread_mutex_t locks[SLOTS];

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

static void *indexer(void *arg)
{
    bool is_second = arg != NULL;
    for (int count = 1; count <= MESSAGES; count++) {
        int message = count * 11;
        if (is_second && __VERIFIER_nondet_bool())
            message += 1;
        int slot = message * 7 % SLOTS;
        assert(slot >= 0);
        while (!compare_and_swap(slot, 0, message))
            slot = (slot + 1) % SLOTS;
    }
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    for (int k = 0; k < SLOTS; k++)
        pthread_mutex_init(&locks[k], NULL);
    pthread_create(&first, NULL, indexer, NULL);
    pthread_create(&second, NULL, indexer, (void *)(intptr_t)1);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
