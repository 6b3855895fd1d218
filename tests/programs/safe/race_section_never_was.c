// sleave: --property race
// An assumption that fails in an atomic section takes the section with it: what it touched was never touched.
#include <pthread.h>

extern void __VERIFIER_assume(int condition);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int shared;

void *worker(void *arg)
{
    (void)arg;
    __VERIFIER_atomic_begin();
    shared = 1;
    __VERIFIER_assume(0);
    __VERIFIER_atomic_end();
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    shared++;
    pthread_join(thread, NULL);
    return 0;
}
