/* PAIRS readers and as many writers of a variable (-DPAIRS=1, 2) under a lock that is made of two counters and lets readers
   in together, writers alone. A reader sees the same twice: safe.
   P1, Table 2, readwritelktrue 1 and 2; the algorithm is that of Flanagan, Freund and Qadeer, "Thread-modular verification
   for shared-memory programs" (ESOP 2002). What is written is an input. Whoever does not get the lock gives up the run (an
   assumption); such runs are counted. */
#include <assert.h>
#include <pthread.h>

#ifndef PAIRS
#define PAIRS 1
#endif

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int condition);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int writers, readers;
static int value, copy;

static void *writer(void *arg)
{
    int input = __VERIFIER_nondet_int();
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(writers == 0 && readers == 0);
    writers = 1;
    __VERIFIER_atomic_end();
    value = input;
    writers = 0;
    return arg;
}

static void *reader(void *arg)
{
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(writers == 0);
    readers++;
    __VERIFIER_atomic_end();
    int seen = value;
    copy = seen;
    assert(seen == value);
    __VERIFIER_atomic_begin();
    readers--;
    __VERIFIER_atomic_end();
    return arg;
}

int main(void)
{
    pthread_t threads[2 * PAIRS];
    for (int k = 0; k < 2 * PAIRS; k++)
        pthread_create(&threads[k], NULL, k % 2 == 0 ? writer : reader, NULL);
    for (int k = 0; k < 2 * PAIRS; k++)
        pthread_join(threads[k], NULL);
    return 0;
}
