// sleave: --property race
// Atomic sections come one after the other, whatever they touch.
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int a, b;

static void both(void)
{
    __VERIFIER_atomic_begin();
    a++;
    b--;
    __VERIFIER_atomic_end();
}

void *worker(void *arg)
{
    (void)arg;
    both();
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    both();
    pthread_join(thread, NULL);
    return 0;
}
