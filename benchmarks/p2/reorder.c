/* Threads set two variables, one after the other, and others check that both are set or none: a
   check in between fails.
   P2, Table 2, Reorder (9,1) and (10,1) (-DSETTERS=9 and 10, -DCHECKERS=1); the algorithm is that
   of the program of the same name among the examples of Java PathFinder. There are no inputs. The
   paper has 205 and 239 states, 1 refinement. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#ifndef SETTERS
#define SETTERS 9
#endif
#ifndef CHECKERS
#define CHECKERS 1
#endif

static int a, b;

static void *set(void *arg)
{
    a = 1;
    b = -1;
    return arg;
}

static bool neither_or_both(void)
{
    return (a == 0 && b == 0) || (a == 1 && b == -1);
}

static void *check(void *arg)
{
    if (!neither_or_both())
        assert(false); /* the target */
    return arg;
}

int main(void)
{
    pthread_t setters[SETTERS], checkers[CHECKERS];
    for (int k = 0; k < SETTERS; k++)
        pthread_create(&setters[k], NULL, set, NULL);
    for (int k = 0; k < CHECKERS; k++)
        pthread_create(&checkers[k], NULL, check, NULL);
    for (int k = 0; k < SETTERS; k++)
        pthread_join(setters[k], NULL);
    for (int k = 0; k < CHECKERS; k++)
        pthread_join(checkers[k], NULL);
    return 0;
}
