// expect: bug (deadlock)
// needs: states
// One thread counts its first rounds, the other changes something in each and changes it back.
#include <pthread.h>
static int g1 = 1;
static long f0(void) { return (g1 == 2); }
static void *thread2(void *unused) { long v1 = 0; g1 = 1; while (!(g1 == 2)) { if ((v1 < 3)) { v1 = (v1 + 1); } } return 0; }
static void *thread3(void *unused) {
    while (!(f0())) { __atomic_fetch_add(&g1, 1, __ATOMIC_SEQ_CST); __atomic_fetch_sub(&g1, 1, __ATOMIC_SEQ_CST); }
    return 0;
}
int main(void) {
    pthread_t h2, h3;
    pthread_create(&h2, 0, thread2, 0);
    pthread_create(&h3, 0, thread3, 0);
    pthread_join(h3, 0);
    return 0;
}
