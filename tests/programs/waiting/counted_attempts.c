// expect: safe
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
static atomic_int l; static int c;
static void *w(void *a){
  for (int n = 0;; n++) { int e = 0; if (atomic_compare_exchange_strong(&l, &e, 1)) break; }
  c++; atomic_store(&l, 0); return 0; }
int main(void){ pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, w, 0);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  assert(c == 2); }
