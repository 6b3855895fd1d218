/* Main waits for the thread on one of two ways only. On the other one the thread may write in the middle of what main does
   after the two ways have met. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

extern _Bool __VERIFIER_nondet_bool(void);

static int x, z;

static void *set(void *arg)
{
    x = 1 + z;
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, set, NULL);
    if (__VERIFIER_nondet_bool())
        pthread_join(t, NULL);
    x = 1;
    z = __VERIFIER_nondet_bool();
    int y = x;
    if (__VERIFIER_nondet_bool())
        assert(y == 1); //~ BUG(assertion)
    return 0;
}
