// expect: safe
// needs: states
// Exponential back-off of three threads.
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
static atomic_int l; static int c;
static void *w(void*a){ unsigned b=1; while (atomic_exchange(&l,1)) { for (volatile unsigned i=0;i<b;i++) ; if (b < 1024) b<<=1; } c++; atomic_store(&l,0); return 0; }
int main(void){ pthread_t t[3]; for(int i=0;i<3;i++) pthread_create(&t[i],0,w,0); for(int i=0;i<3;i++) pthread_join(t[i],0); assert(c==3);}
