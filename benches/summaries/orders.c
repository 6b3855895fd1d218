// Every order of the threads leaves another number, and which cell main looks at in the end depends on it: no state is like another.
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static unsigned order = 1;
static char cells[1 << 20];

static void *worker(void *arg)
{
    unsigned me = (unsigned)(unsigned long)arg;

    for (int i = 0; i < ROUNDS; i++) {
        __VERIFIER_atomic_begin();
        order = 31 * order + me;
        __VERIFIER_atomic_end();
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(i + 1));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(!cells[order % sizeof cells]);
}
