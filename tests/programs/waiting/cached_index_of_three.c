// expect: safe
// A ring whose consumer stores its copy of the producer's index again, beside a third thread.
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
static atomic_int head, tail; static int buf[2], cached;
static void *prod(void*a){ for (int i=1;i<=2;i++){ while (atomic_load(&tail) - atomic_load(&head) >= 2) ; buf[(i-1)&1]=i; atomic_store(&tail,i);} return 0; }
static void *cons(void*a){ for (int i=1;i<=2;i++){ while (cached <= atomic_load(&head)) cached = atomic_load(&tail); assert(buf[(i-1)&1]==i); atomic_store(&head,i);} return 0; }
static void *watch(void*a){ while (atomic_load(&head) < 2) ; assert(atomic_load(&tail)==2); return 0; }
int main(void){ pthread_t t[3]; pthread_create(&t[0],0,prod,0); pthread_create(&t[1],0,cons,0); pthread_create(&t[2],0,watch,0); for(int i=0;i<3;i++) pthread_join(t[i],0); }
