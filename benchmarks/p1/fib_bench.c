/* Two threads add to each other's Fibonacci number, N times each (-DN=2, 3, 4). The assertion fails if they take perfect
   turns.
   P1, Table 2, fibbenchfalse 1..3; the algorithm is that of SV-COMP's fib_bench. There are no inputs. An addition is two
   reads and a write, and so N = 2 has 924 = 12!/(6! 6!) schedules: the counts tell that the paper's rows are N = 2, 3 and 4. */
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif

static int i = 1, j = 1;

static void *add_to_i(void *arg)
{
    for (int k = 0; k < N; k++)
        i += j;
    return arg;
}

static void *add_to_j(void *arg)
{
    for (int k = 0; k < N; k++)
        j += i;
    return arg;
}

/* What the second number is when the threads have taken turns. */
static int largest(void)
{
    int a = 1, b = 1;
    for (int k = 0; k < N; k++) {
        a += b;
        b += a;
    }
    return b;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, add_to_i, NULL);
    pthread_create(&u, NULL, add_to_j, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(i < largest() && j < largest());
    return 0;
}
