// expect: bug (race)
// sleave: --property race
// What main reads after its loop shows to be shared only when it goes round once more.
#include <pthread.h>
#include <semaphore.h>
extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_assume(int);
static int g0, g1; static long i0;
static void *thread2(void *unused) {
    __atomic_store_n(&g1, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&g0, 1, __ATOMIC_SEQ_CST);
    return 0;
}
int main(void) {
    pthread_t h2; long v0;
    i0 = __VERIFIER_nondet_int();
    __VERIFIER_assume(i0 >= 0 && i0 <= 0);
    g0 = i0;
    pthread_create(&h2, 0, thread2, 0);
    while (!(__atomic_load_n(&g0, __ATOMIC_SEQ_CST))) { g0 = g0; }
    v0 = g1;
    return 0;
}
