// expect: bug (deadlock)
// A thread that looked too early is fine in one execution, where it would leave its loop, and not in another one, where it would not.
#include <pthread.h>
static int g1 = 0, g2 = 1;
static void *thread1(void *unused) { g1 = 1; while (!(g2 == 1)) {} return 0; }
static void *thread2(void *unused) {
    while (!(__atomic_load_n(&g1, __ATOMIC_SEQ_CST) == 1)) {}
    while (!(g2 == g2)) {}
    g2 = 1;
    g1 = 1;
    return 0;
}
int main(void) {
    pthread_t h1, h2;
    pthread_create(&h1, 0, thread1, 0);
    pthread_create(&h2, 0, thread2, 0);
    __atomic_store_n(&g2, 2, __ATOMIC_SEQ_CST);
    pthread_join(h1, 0);
    return 0;
}
