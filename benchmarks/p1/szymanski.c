/* Szymanski's mutual exclusion of two threads: those who want in wait in an anteroom, whose door closes behind them. Nobody
   else changes the variable of a critical section: safe.
   P1, Table 2, szymanskitrue; after Szymanski, "A simple solution to Lamport's concurrent programming problem with linear
   wait" (1988). There are no inputs. The paper unrolls the loops that wait; Sleave goes on when what they wait for is
   written. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { OUTSIDE, WANTS, WAITS_FOR_OTHERS, AT_THE_DOOR, INSIDE };

static int state[2];
static int owner;

static bool is_entering(int state)
{
    return state == WAITS_FOR_OTHERS || state == AT_THE_DOOR;
}

static void *enter(void *arg)
{
    int me = arg != NULL, other = 1 - me;
    state[me] = WANTS;
    while (state[other] >= AT_THE_DOOR)
        ;
    state[me] = AT_THE_DOOR;
    if (state[other] == WANTS) {
        state[me] = WAITS_FOR_OTHERS;
        while (state[other] != INSIDE)
            ;
    }
    state[me] = INSIDE;
    if (me == 1)
        while (state[other] >= WAITS_FOR_OTHERS)
            ;
    owner = me;
    assert(owner == me);
    if (me == 0)
        while (is_entering(state[other]))
            ;
    state[me] = OUTSIDE;
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
