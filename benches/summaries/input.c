// The same with an input: what is checked in the end is about all of it and of the order, and needs the solver.
#include <assert.h>
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static unsigned input, order = 1;
static char cells[1 << 20];

static void *worker(void *arg)
{
    unsigned me = (unsigned)(unsigned long)arg;

    for (int i = 0; i < ROUNDS; i++) {
        __VERIFIER_atomic_begin();
        if (input & 1u << me)
            order = 31 * order + me;
        else
            order = 37 * order + me;
        __VERIFIER_atomic_end();
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    input = __VERIFIER_nondet_uint();
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(i + 1));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(!cells[order % sizeof cells]);
}
