// expect: safe
// consumer keeps a cached copy of the producer's index (rigtorp SPSCQueue, folly PCQ, most SPSC rings):
// the waiting loop stores the same value again in every iteration
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
static atomic_int widx; static int cache, data;
static int front(void){ if (cache == 0) { cache = atomic_load(&widx); if (cache == 0) return 0; } return 1; }
static void *p(void*x){ data = 42; atomic_store(&widx,1); return 0; }
static void *c(void*x){ while (!front()) ; assert(data == 42); return 0; }
int main(void){ pthread_t a,b; pthread_create(&a,0,p,0); pthread_create(&b,0,c,0); pthread_join(a,0); pthread_join(b,0); }
