/* One thread sets two variables, ROUNDS times, and the others check that both are set or none. They are set one after the
   other: a check in between fails.
   P1, Table 2, reorder2false 1a..1c (-DCHECKERS=1, 2, 3) and 2a, 2b (-DROUNDS=2 -DCHECKERS=1, 2), and Figure 9
   (-DCHECKERS=1..7); the algorithm is that of SV-COMP's reorder_2. There are no inputs. With two threads there are 7
   schedules, as in the paper. With more there are more than in the paper, which does not say how many threads set and how
   many check, nor what its second number stands for. */
#include <assert.h>
#include <pthread.h>

#ifndef CHECKERS
#define CHECKERS 1
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

static int a, b;

static void *set(void *arg)
{
    for (int k = 0; k < ROUNDS; k++) {
        a = 1;
        b = -1;
    }
    return arg;
}

static void *check(void *arg)
{
    assert((a == 0 && b == 0) || (a == 1 && b == -1));
    return arg;
}

int main(void)
{
    pthread_t setter, checkers[CHECKERS];
    pthread_create(&setter, NULL, set, NULL);
    for (int k = 0; k < CHECKERS; k++)
        pthread_create(&checkers[k], NULL, check, NULL);
    pthread_join(setter, NULL);
    for (int k = 0; k < CHECKERS; k++)
        pthread_join(checkers[k], NULL);
    return 0;
}
