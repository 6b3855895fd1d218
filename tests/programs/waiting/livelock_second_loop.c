// expect: bug (deadlock)
// A thread that looked too early leaves its loop for the one in which it stays.
#include <pthread.h>
extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_assume(int);
static int g0, g2;
static long i0;
static void *thread1(void *unused) {
    while (!(g0)) {}
    while (!(__sync_bool_compare_and_swap(&g0, 0, 1))) {}
    return 0;
}
static void *thread2(void *unused) { g0 = 1; return 0; }
int main(void) {
    pthread_t h1, h2;
    i0 = __VERIFIER_nondet_int();
    __VERIFIER_assume(i0 >= 0 && i0 <= 0);
    g2 = i0;
    pthread_create(&h1, 0, thread1, 0);
    pthread_create(&h2, 0, thread2, 0);
    pthread_join(h1, 0);
    return 0;
}
