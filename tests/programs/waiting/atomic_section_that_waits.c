// expect: unknown (loop bound)
// Nobody sees an atomic section stop in the middle, so nobody leaves its loop and fails.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

atomic_int begun, flag;

void *wait_inside(void *unused) {
    __VERIFIER_atomic_begin();
    begun = 1;
    while (!flag)
        ;
    __VERIFIER_atomic_end();
    return unused;
}

int main(void) {
    pthread_t waiter;
    pthread_create(&waiter, 0, wait_inside, 0);
    while (!begun)
        ;
    assert(0);
}
