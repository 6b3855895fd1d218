/* N threads (-DN=2, 3, 4) mark an element of an array each and count how many have. The sum of the elements must be what the
   user expects, which is an input: the assertion fails.
   P1, Table 2, sigmafalse 1..3. There are 12, 180 and 5040 schedules and inputs; the paper has 12, 180 and 4830, and with
   pruning 2 runs for any N: so its assertion cannot depend on the schedule, and this is the version of which that is true. In
   SV-COMP's sigma (-DORIGINAL) the index is in a shared variable that is counted up while threads run, and a thread may be so
   late that it is already that of the next: 8, 450 and 45900 schedules, all of which matter. */
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif

extern int __VERIFIER_nondet_int(void);

static int array[N];

#ifdef ORIGINAL
static int next = -1;

static void *mark(void *arg)
{
    array[next] = 1;
    return arg;
}
#else
static int marked;

static void *mark(void *arg)
{
    array[(long)arg] = 1;
    marked++;
    return arg;
}
#endif

int main(void)
{
    pthread_t threads[N];
    int expected = N;
#ifndef ORIGINAL
    expected = __VERIFIER_nondet_int();
#endif
    for (long k = 0; k < N; k++) {
#ifdef ORIGINAL
        next++;
#endif
        pthread_create(&threads[k], NULL, mark, (void *)k);
    }
    for (int k = 0; k < N; k++)
        pthread_join(threads[k], NULL);
    int sum = 0;
    for (int k = 0; k < N; k++)
        sum += array[k];
    assert(sum == expected);
    return 0;
}
