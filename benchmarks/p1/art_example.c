/* An artificial example: one thread moves a bound up by steps that inputs decide, another reads it twice and decides by what
   it has read. Both leave a note of who was last, at which no assertion looks. The bound never goes down: safe.
   P1, Table 2, art-example, of which the paper gives the name, the size, the threads and the counts, and says that it is from
   Farzan, Holzer, Razavi and Veith, "Con2colic testing" (FSE 2013), or from P4: this one is our own. */
#include <assert.h>
#include <pthread.h>

#ifndef STEPS
#define STEPS 2
#endif

extern _Bool __VERIFIER_nondet_bool(void);

static int bound, last;

static void *raise(void *arg)
{
    int mine = 0;
    for (int k = 0; k < STEPS; k++) {
        if (__VERIFIER_nondet_bool())
            mine += 2;
        else
            mine += 1;
        bound = mine;
    }
    last = 1;
    return arg;
}

static void *observe(void *arg)
{
    int low = bound;
    int high = bound;
    if (low != high)
        assert(low < high);
    last = 2;
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, raise, NULL);
    pthread_create(&u, NULL, observe, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
