/* One thread after the other is created, N in all (-DN=2, 3, 4), and marks the element of an array whose index is in a shared
   variable. The sum of the elements must be N. A thread may be so late that the index is already that of the next: the
   assertion fails.
   P1, Table 2, sigmafalse 1..3; the algorithm is that of SV-COMP's sigma. There are no inputs. With pruning the paper needs 2
   runs for any N, as if its assertion did not depend on the schedule; here it does. */
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif

static int array[N];
static int next = -1;

static void *mark(void *arg)
{
    array[next] = 1;
    return arg;
}

int main(void)
{
    pthread_t threads[N];
    for (int k = 0; k < N; k++) {
        next++;
        pthread_create(&threads[k], NULL, mark, NULL);
    }
    for (int k = 0; k < N; k++)
        pthread_join(threads[k], NULL);
    int sum = 0;
    for (int k = 0; k < N; k++)
        sum += array[k];
    assert(sum == N);
    return 0;
}
