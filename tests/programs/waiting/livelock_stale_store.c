// expect: bug (deadlock)
// What a round read may be old when it is stored again: the thread then waits for a value that it has overwritten itself.
#include <pthread.h>
static int g1 = 0;
static void *thread1(void *unused) { g1 = 2; return 0; }
static void *thread2(void *unused) { while (!(g1)) { g1 = __atomic_load_n(&g1, __ATOMIC_SEQ_CST); } return 0; }
int main(void) {
    pthread_t h1, h2;
    pthread_create(&h1, 0, thread1, 0);
    pthread_create(&h2, 0, thread2, 0);
    pthread_join(h2, 0);
    return 0;
}
