// expect: bug (memory)
// The fault is in a round that would have failed.
#include <pthread.h>
#include <stdlib.h>
struct node { int v; } *p;
void *f(void *a) { struct node *q; while (!((q = p) && q->v)) {} return 0; }
int main(void)
{
  pthread_t t;
  struct node *n = malloc(sizeof *n);
  n->v = 0;
  pthread_create(&t, 0, f, 0);
  p = n; p = 0; free(n);
  return 0;
}
