/* Szymanski's mutual exclusion for two threads, with a waiting room: those who came in together leave it in the order of
   their numbers before the door opens again.
   A thread's place: 0 outside, 1 at the door, 2 in the waiting room, 3 in the doorway, 4 past the door, which is shut. */
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

static atomic_int place[2];
static atomic_int inside;

/* Who is in the critical section: nobody may change it in between. */
static void critical_section(int me)
{
    atomic_store(&inside, me);
    assert(atomic_load(&inside) == me);
}

/* Whether a thread is neither in the waiting room nor in the doorway. */
static int not_entering(int at)
{
    return at < 2 || at > 3;
}

static void lock(int me)
{
    int other = 1 - me;

    atomic_store(&place[me], 1);
    AWAIT(atomic_load(&place[other]) < 3);
    atomic_store(&place[me], 3);
    if (atomic_load(&place[other]) == 1) {
        atomic_store(&place[me], 2);
        AWAIT(atomic_load(&place[other]) == 4);
    }
    atomic_store(&place[me], 4);
    if (me == 1) /* the lower number goes first */
        AWAIT(atomic_load(&place[other]) < 2);
}

static void unlock(int me)
{
    int other = 1 - me;

    if (me == 0) /* the higher number has to notice that the door is shut */
        AWAIT(not_entering(atomic_load(&place[other])));
    atomic_store(&place[me], 0);
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
