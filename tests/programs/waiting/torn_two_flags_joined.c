// expect: bug (assertion)
// sleave: --property assertion
#include <assert.h>
#include <pthread.h>
int a = 1, b;
void *f(void *p) { while (!(a && b)) {} assert(0); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); a = 0; b = 1; pthread_join(t, 0); return 0; }
