// expect: safe
// Two test-and-set locks beside a reader that spins on the same word.
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
static atomic_int l, done; static int c;
static void *w(void*a){ while (atomic_exchange(&l,1)) ; c++; atomic_store(&l,0); done++; return 0; }
static void *r(void*a){ while (atomic_load(&l)) ; while (done < 2) ; assert(c==2); return 0; }
int main(void){ pthread_t t[3]; pthread_create(&t[0],0,w,0); pthread_create(&t[1],0,w,0); pthread_create(&t[2],0,r,0); for(int i=0;i<3;i++) pthread_join(t[i],0); }
