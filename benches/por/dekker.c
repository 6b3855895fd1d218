/* Dekker's mutual exclusion of two threads: who wants to enter raises a flag; if both do, the turn decides who backs off. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef ROUNDS
#define ROUNDS 2
#endif

/* A wait is a loop; with PEER defined it prunes the runs in which the condition does not hold yet, for tools that
   need bounded loops. */
#ifdef PEER
void __VERIFIER_assume(_Bool);
#define AWAIT(condition) __VERIFIER_assume(condition)
#else
#define AWAIT(condition) \
    while (!(condition)) \
    {}
#endif

static atomic_int wants[2];
static atomic_int turn;
static atomic_int inside;

/* Who is in the critical section: nobody may change it in between. */
static void critical_section(int me)
{
    atomic_store(&inside, me);
    assert(atomic_load(&inside) == me);
}

static void *contender(void *arg)
{
    int me = (int)(intptr_t)arg;
    int other = 1 - me;

    for (int round = 0; round < ROUNDS; round++) {
        atomic_store(&wants[me], 1);
        while (atomic_load(&wants[other])) {
            if (atomic_load(&turn) == me) {
                /* The turn stays here until this thread gives it away. */
                AWAIT(!atomic_load(&wants[other]));
                break;
            }
            atomic_store(&wants[me], 0);
            AWAIT(atomic_load(&turn) == me);
            atomic_store(&wants[me], 1);
        }

        critical_section(me);

        atomic_store(&turn, other);
        atomic_store(&wants[me], 0);
    }
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, contender, (void *)0);
    pthread_create(&second, NULL, contender, (void *)1);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
