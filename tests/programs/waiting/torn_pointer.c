// expect: bug (assertion)
#include <assert.h>
#include <pthread.h>
struct node { int v; } n, *p;
void *f(void *a) { struct node *q; while (!((q = p) && q->v)) {} assert(0); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); p = &n; p = 0; n.v = 1; return 0; }
