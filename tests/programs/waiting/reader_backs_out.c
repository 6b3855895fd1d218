// expect: safe
// reader announces itself, backs out when a writer is there (ck_rwlock, brlock, folly RWSpinLock)
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
static atomic_int writer, n; static int c;
static void *w(void*a){ while (atomic_exchange(&writer,1)) ; while (atomic_load(&n)) ; c++; atomic_store(&writer,0); return 0; }
static void *r(void*a){ for(;;){ while (atomic_load(&writer)) ; atomic_fetch_add(&n,1); if (!atomic_load(&writer)) break; atomic_fetch_sub(&n,1);} atomic_fetch_sub(&n,1); return 0; }
int main(void){ pthread_t t[3]; pthread_create(&t[0],0,w,0); pthread_create(&t[1],0,r,0); 
#ifdef TWO
pthread_create(&t[2],0,w,0); pthread_join(t[2],0);
#endif
for(int i=0;i<2;i++) pthread_join(t[i],0); assert(c>=1);}
