// Two threads add to each other's number. As long as both begin with small numbers, that the largest sums are not too large says it of
// all. It does not if one begins far below zero.
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);

enum { N = 5, LARGEST = 144 };
static int i = -90, j = 57;

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

int main(void)
{
    pthread_t t, u;
    if (__VERIFIER_nondet_bool()) {
        i = 1;
        j = 1;
    }
    pthread_create(&t, NULL, add_to_i, NULL);
    pthread_create(&u, NULL, add_to_j, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(i <= LARGEST && j <= LARGEST); //~ BUG(assertion)
    return 0;
}
