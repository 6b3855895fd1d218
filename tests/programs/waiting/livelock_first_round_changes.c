// expect: bug (deadlock)
// A store that matters to nothing changes something in the first round: a search with a slice sees the wait a round earlier than a replay.
#include <pthread.h>
extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_assume(int);
static int g1 = 0, g2 = 0, x, y; static int *g3;
static void *thread1(void *unused) {
    while (!((__atomic_load_n(&g1, __ATOMIC_SEQ_CST) == 1) && g3)) { g2 = 1; }
    return 0;
}
static void *thread2(void *unused) { __atomic_store_n(&x, 1, 5); while (!__atomic_load_n(&y, 5)) {}  __atomic_store_n(&x, 2, 5); __atomic_store_n(&x, 3, 5);return 0; }
int main(void) {
    pthread_t h1, h2;
    pthread_create(&h1, 0, thread1, 0);
    pthread_create(&h2, 0, thread2, 0);
    g1 = 1;
    __atomic_store_n(&x, 5, 5);
    __atomic_store_n(&y, 5, 5);
    __atomic_store_n(&x, 6, 5);
    pthread_join(h1, 0);
    return 0;
}
