// expect: bug (assertion)
#include <assert.h>
#include <pthread.h>
int a = 1, b;
static int both(void) { return a && b; }
void *f(void *p) { while (!both()) {} assert(0); return 0; }
void *g(void *p) { a = 0; b = 1; return 0; }
int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); pthread_join(u, 0); return 0; }
