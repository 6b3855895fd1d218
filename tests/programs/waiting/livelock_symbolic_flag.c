// expect: bug (deadlock)
// A flag at an index that is an input, which nobody sets.
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
volatile int f[2];
void *s(void *a) { return 0; }
int main(void) {
    int n = __VERIFIER_nondet_int() & 1;
    pthread_t t;
    pthread_create(&t, 0, s, 0);
    while (!f[n]);
    return 0;
}
