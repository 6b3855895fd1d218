// expect: safe
// while (pthread_mutex_trylock(&m)) sched_yield();
#include <pthread.h>
#include <sched.h>
#include <assert.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static int n;
static void *w(void*a){ while (pthread_mutex_trylock(&m)) sched_yield(); n++; pthread_mutex_unlock(&m); return 0; }
int main(void){ pthread_t t[2]; for(int i=0;i<2;i++) pthread_create(&t[i],0,w,0); for(int i=0;i<2;i++) pthread_join(t[i],0); assert(n==2); }
