// sleave: --property race
// An atomic section is ordered with other sections, not with what stands outside of them.
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int shared;

void *worker(void *arg)
{
    (void)arg;
    __VERIFIER_atomic_begin();
    shared++;
    __VERIFIER_atomic_end();
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    shared = 5; //~ BUG(race)
    pthread_join(thread, NULL);
    return 0;
}
