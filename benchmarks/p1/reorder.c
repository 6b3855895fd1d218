/* One thread sets two variables, ROUNDS times, and the others check that both are set or none, the one set last first. They
   are set one after the other: a check in between fails.
   P1, Table 2, reorder2false 1a..1c (-DCHECKERS=1, 2, 3) and 2a, 2b (-DROUNDS=2 -DCHECKERS=1, 2), and Figure 9
   (-DCHECKERS=1..7); the algorithm is that of SV-COMP's reorder_2. There are no inputs. The paper does not say how many
   threads set and how many check, nor what its second number stands for. Each variable is read once: so there are 6, 70,
   1176, 15 and 268 schedules, of which DPOR follows 4, 25, 328, 10 and 111; the paper has 7, 91, 2421, 23 and 479, and 3, 26,
   205, 14 and 233. The original's check reads up to four times (-DORIGINAL): 7, 272, 51267, 32 and 4558 schedules. */
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
#ifdef ORIGINAL
    assert((a == 0 && b == 0) || (a == 1 && b == -1));
#else
    int second = b, first = a;
    assert((first == 0 && second == 0) || (first == 1 && second == -1));
#endif
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
