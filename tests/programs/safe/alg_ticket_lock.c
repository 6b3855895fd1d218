// A ticket lock; waiting is an assumption, so runs that would spin are left out.
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);

static int next, serving;
static int counter;

static void *worker(void *arg)
{
    int mine = __atomic_fetch_add(&next, 1, __ATOMIC_SEQ_CST);
    __VERIFIER_assume(serving == mine);
    counter++;
    serving = mine + 1;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    return 0;
}
