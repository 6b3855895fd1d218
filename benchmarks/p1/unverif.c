/* Every thread counts itself in; whoever finds that it is the only one so far adds to a shared sum, STEPS times, and compares
   it with its own. At most one does: safe.
   P1, Table 2, unveriftrue; the algorithm is the example of Donaldson, Kaiser, Kroening and Wahl, "Symmetry-aware predicate
   abstraction for shared-variable concurrent programs" (CAV 2011), with two threads and a bounded loop. The input is what the
   sum begins with. In every run one thread at most gets to the sum, which therefore is no scheduling point of Sleave; in the
   paper it is one. */
#include <assert.h>
#include <pthread.h>

#ifndef STEPS
#define STEPS 4
#endif

extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static unsigned arrived, sum, start;

static void *arrive(void *arg)
{
    __VERIFIER_atomic_begin();
    arrived++;
    __VERIFIER_atomic_end();
    if (arrived == 1) {
        unsigned mine = start;
        for (int k = 0; k < STEPS; k++) {
            sum++;
            mine++;
            assert(sum == mine);
        }
    }
    return arg;
}

int main(void)
{
    pthread_t t, u;
    sum = start = __VERIFIER_nondet_uint();
    pthread_create(&t, NULL, arrive, NULL);
    pthread_create(&u, NULL, arrive, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
