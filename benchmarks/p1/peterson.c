/* Peterson's mutual exclusion of two threads, of which the first enters ENTRIES times (-DENTRIES=1, 2). Nobody else changes
   the variable of a critical section: safe.
   P1, Table 2, petersontrue 1 and 2; after Peterson, "Myths about the mutual exclusion problem" (1981). There are no inputs.
   What tells the paper's two rows apart is not known. The paper unrolls the loops that wait; Sleave goes on when what they
   wait for is written. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef ENTRIES
#define ENTRIES 1
#endif

static bool wants[2];
static int turn;
static int owner;

static void *enter(void *arg)
{
    int me = arg != NULL, other = 1 - me;
    int entries = me == 0 ? ENTRIES : 1;
    for (int k = 0; k < entries; k++) {
        wants[me] = true;
        turn = other;
        while (wants[other] && turn == other)
            ;
        owner = me;
        assert(owner == me);
        wants[me] = false;
    }
    return NULL;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, enter, NULL);
    pthread_create(&u, NULL, enter, (void *)(intptr_t)1);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
