// expect: bug (deadlock)
// The writer of a flag at an index that is an input is blocked by the one who waits for it.
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
volatile int f[2];
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *s(void *a) { pthread_mutex_lock(&m); f[0] = f[1] = 1; pthread_mutex_unlock(&m); return 0; }
int main(void) {
    int n = __VERIFIER_nondet_int() & 1;
    pthread_t t;
    pthread_create(&t, 0, s, 0);
    pthread_mutex_lock(&m);
    while (!f[n]);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}
