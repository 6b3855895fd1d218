// expect: bug (assertion)
// Every two of the flags are up at some time, all three never.
#include <assert.h>
#include <pthread.h>
int a = 1, b = 1, c;
void *f(void *p) { while (!(a && b && c)) {} assert(0); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); a = 0; b = 0; c = 1; return 0; }
