// The first access of an atomic section does not matter, but the section happens where it does.
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int flag = 1;

static void *clear(void *arg)
{
    flag = 0;
    return arg;
}

static void *look(void *arg)
{
    int seen;
    __VERIFIER_atomic_begin();
    seen = flag;
    seen = flag;
    __VERIFIER_atomic_end();
    assert(seen); //~ BUG(assertion)
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, clear, NULL);
    pthread_create(&threads[1], NULL, look, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
