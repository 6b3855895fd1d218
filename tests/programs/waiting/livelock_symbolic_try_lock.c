// expect: bug (deadlock)
// A lock at an index that is an input is tried for ever.
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
void *s(void *a) {
    int n = __VERIFIER_nondet_int() & 1;
    while (pthread_mutex_trylock(&m[n]));
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_mutex_lock(&m[0]); pthread_mutex_lock(&m[1]);
    pthread_create(&t, 0, s, 0);
    pthread_join(t, 0);
    return 0;
}
