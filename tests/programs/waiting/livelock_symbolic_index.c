// expect: bug (deadlock)
// The last round reads a table at an index that is an input.
#include <pthread.h>
extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_assume(int);
static int g0, g1, g5[2] = {0, 1};
static long i0;
static void *thread2(void *unused) { while (!(g0)) { g1 = g5[g0 & 1]; } return 0; }
static void *thread3(void *unused) { g0 = i0; return 0; }
int main(void) {
    pthread_t h2, h3;
    i0 = __VERIFIER_nondet_int();
    __VERIFIER_assume(i0 >= 0 && i0 <= 0);
    pthread_create(&h2, 0, thread2, 0);
    pthread_create(&h3, 0, thread3, 0);
    pthread_join(h2, 0);
    return 0;
}
