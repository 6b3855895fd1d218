// Blocked by the assume at first, the section runs once the other thread has set the flag.
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);

static int flag, seen;

static void __VERIFIER_atomic_wait(void)
{
    seen = 1; /* undone if the assume fails: the section has not begun */
    __VERIFIER_assume(flag == 1);
    seen = 2;
}

static void *setter(void *arg)
{
    assert(seen == 0);
    flag = 1;
    assert(seen != 2); //~ BUG(assertion)
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, setter, NULL);
    __VERIFIER_atomic_wait();
    pthread_join(t, NULL);
    return 0;
}
