// expect: safe
// writer spins with exchange, reader spins with load: they wake each other for ever
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
static atomic_int l; static int c;
static void *w(void*a){ while (atomic_exchange(&l,1)) ; c++; atomic_store(&l,0); return 0; }
static void *r(void*a){ while (atomic_load(&l)) ; return 0; }
int main(void){ pthread_t t[3]; pthread_create(&t[0],0,w,0); pthread_create(&t[1],0,w,0); pthread_create(&t[2],0,r,0); for(int i=0;i<3;i++) pthread_join(t[i],0); assert(c==2);}
