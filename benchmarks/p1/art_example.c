/* An artificial example: one thread moves a bound up step by step, another reads it twice in each of its rounds. Both note again
   and again who was last, at which no assertion looks. The bound never goes down: safe.
   P1, Table 2, art-example, of which the paper gives the name, the size, the threads and the counts, and says that it is from
   Farzan, Holzer, Razavi and Veith, "Con2colic testing" (FSE 2013), or from P4: this one is our own. Steps, rounds and notes
   were chosen by the paper's counts. */
#include <assert.h>
#include <pthread.h>

#ifndef STEPS
#define STEPS 2
#endif

#ifndef ROUNDS
#define ROUNDS 2
#endif

static int bound, last;

static void *raise(void *arg)
{
    for (int k = 1; k <= STEPS; k++) {
        bound = k;
        last = 1;
    }
    return arg;
}

static void *observe(void *arg)
{
    for (int k = 0; k < ROUNDS; k++) {
        int low = bound;
        last = 2;
        int high = bound;
        assert(low <= high);
    }
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
