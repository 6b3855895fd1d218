// expect: bug (assertion)
// The loop is left with an `a` that is old: it was read before main wrote it, and `b` after.
#include <assert.h>
#include <pthread.h>
int a = 1, b;
void *f(void *p) { while (!(a && b)) {} assert(0); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); a = 0; b = 1; return 0; }
