/* Lamport's fast mutual exclusion, for two threads: without contention, a thread gets in by writing x and y and seeing
   both unchanged. */
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

static atomic_int busy[2];
static atomic_int x, y; /* a thread's number plus one; y is 0 when the way is free */
static atomic_int inside;

/* Who is in the critical section: nobody may change it in between. */
static void critical_section(int me)
{
    atomic_store(&inside, me);
    assert(atomic_load(&inside) == me);
}

static void lock(int me)
{
    int name = me + 1;
    int other = 1 - me;

    for (;;) {
        atomic_store(&busy[me], 1);
        atomic_store(&x, name);
        if (atomic_load(&y) != 0) {
            atomic_store(&busy[me], 0);
            AWAIT(atomic_load(&y) == 0);
            continue;
        }
        atomic_store(&y, name);
        if (atomic_load(&x) == name)
            return; /* the fast path */

        atomic_store(&busy[me], 0);
        AWAIT(!atomic_load(&busy[other]));
        if (atomic_load(&y) == name)
            return;
        AWAIT(atomic_load(&y) == 0);
    }
}

static void unlock(int me)
{
    atomic_store(&y, 0);
    atomic_store(&busy[me], 0);
}

static void *contender(void *arg)
{
    int me = (int)(intptr_t)arg;

    for (int round = 0; round < ROUNDS; round++) {
        lock(me);
        critical_section(me);
        unlock(me);
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
