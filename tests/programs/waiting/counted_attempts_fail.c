// expect: bug (assertion)
// A count that decides nothing does not keep a loop from waiting: a slice must have what it waits for.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int l;
static int c;
static void *w(void *a)
{
  for (int n = 0;; n++)
    if (!atomic_exchange(&l, 1)) break;
  c++;
  atomic_store(&l, 0);
  return 0;
}
int main(void)
{
  pthread_t t, u;
  pthread_create(&t, 0, w, 0);
  pthread_create(&u, 0, w, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  assert(c == 3);
}
