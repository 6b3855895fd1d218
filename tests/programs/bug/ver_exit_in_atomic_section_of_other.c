// What others do before an atomic section in which the process ends counts, whichever thread is looked at first.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int number = 1, other;

static void *leave(void *arg)
{
    __VERIFIER_atomic_begin();
    number = 0;
    other = 1;
    _exit(0);
    __VERIFIER_atomic_end();
    return arg;
}

static void *look(void *arg)
{
    int seen = number;
    number = 2;
    assert(seen == 0); //~ BUG(assertion)
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, leave, NULL);
    pthread_create(&second, NULL, look, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
