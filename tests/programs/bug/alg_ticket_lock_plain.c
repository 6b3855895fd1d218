// A ticket lock whose ticket is drawn without atomicity: two threads may hold the same number.
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);

static int next, serving;
static int inside;

static void *worker(void *arg)
{
    int mine = next;
    next = mine + 1;
    __VERIFIER_assume(serving == mine);
    assert(__atomic_fetch_add(&inside, 1, __ATOMIC_SEQ_CST) == 0); //~ BUG(assertion)
    __atomic_fetch_sub(&inside, 1, __ATOMIC_SEQ_CST);
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
    return 0;
}
