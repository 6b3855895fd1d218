/* A function that starts a thread, writes its argument to a variable that all share, and calls itself with one less as long as
   that variable is positive, which the threads may change meanwhile. Where it is not, a second variable, which the threads
   change as well, chooses a branch. The assertion in the last branch fails: a thread that is done in time leaves a 0 there.
   With -DHOLDS it asks what is true instead: nobody makes the second variable larger than 1.
   P3, Figure 4 and Table 2, written afresh. The paper fixes the input `a`, which says how deep the calls go: THREADS are main and
   the a + 1 threads that it starts, as in the paper's example (a = 1: threads 1, 2 and 3). There may be more, if the calls go
   deeper because `x` was raised. Each numbered line of the paper's figure is one step; so statements that access shared memory
   more than once are atomic here. Were they not, a thread could keep an old `x` and give it back at any time, and calls could
   go deeper without end. Of complexA and complexB the paper shows nothing: these have work of their own and an assertion each.
   The first would fail, but is never called.
   The numbers behind statements are the lines of the figure. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef THREADS
#define THREADS 5
#endif

#ifdef HOLDS
#define LINE_11 assert(y <= 1)
#else
#define LINE_11 assert(0)
#endif

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

#define STEP(statement)                                                                                                        \
    do {                                                                                                                       \
        __VERIFIER_atomic_begin();                                                                                             \
        statement;                                                                                                             \
        __VERIFIER_atomic_end();                                                                                               \
    } while (0)

static int x = 1, y = 1;

/* The sum of the first odd numbers. */
static int square(int count)
{
    int sum = 0;
    for (int k = 0; k < count; k++)
        sum += 2 * k + 1;
    return sum;
}

static void complex_a(void)
{
    x = square(4);
    assert(y <= 1);
}

static void complex_b(void)
{
    int nine = square(3);
    assert(nine == 9 && y <= 1);
}

static void *bar(void *unused)
{
    (void)unused;
    y = 1;               /* 13 */
    if (y > 0) {         /* 14 */
        STEP(x = x - y); /* 15 */
        STEP(y = y - 1); /* 16 */
    } else {
        complex_b(); /* 18 */
    }
    return NULL;
}

static void foo(int a)
{
    pthread_t thread;
    pthread_create(&thread, NULL, bar, NULL); /* 0 */
    x = a;                                    /* 1 */
    if (x > 0) {                              /* 2 */
        foo(a - 1);                           /* 3 */
    } else {
        int now = y;
        if (now <= 1 && now != 0) { /* 5 */
            STEP(x = y - x);        /* 6 */
        } else if (y > 10) {        /* 7 */
            complex_a();            /* 8 */
        } else {
            STEP(x = x - y); /* 10 */
            LINE_11;         /* 11 */
        }
    }
    pthread_join(thread, NULL); /* 12 */
}

int main(void)
{
    foo(THREADS - 2);
    return 0;
}
