/* Two threads enter a critical section ENTRIES times each under a ticket lock, which serves them in the order of their
   tickets. Never are two inside: safe.
   P1, Table 2, tickettrue; the algorithm is that of Mellor-Crummey and Scott, "Algorithms for scalable synchronization on
   shared-memory multiprocessors" (1991). The input is the first ticket. The paper unrolls the loop that waits; Sleave goes
   on when what it waits for is written. How often the paper's threads enter is not known. */
#include <assert.h>
#include <pthread.h>

#ifndef ENTRIES
#define ENTRIES 3
#endif

extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static unsigned next_ticket, now_serving;
static int inside;

static unsigned take_ticket(void)
{
    __VERIFIER_atomic_begin();
    unsigned ticket = next_ticket++;
    __VERIFIER_atomic_end();
    return ticket;
}

static void *enter(void *arg)
{
    for (int k = 0; k < ENTRIES; k++) {
        unsigned ticket = take_ticket();
        while (now_serving != ticket)
            ;
        inside++;
        assert(inside == 1);
        inside--;
        now_serving++;
    }
    return arg;
}

int main(void)
{
    pthread_t t, u;
    next_ticket = now_serving = __VERIFIER_nondet_uint();
    pthread_create(&t, NULL, enter, NULL);
    pthread_create(&u, NULL, enter, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
