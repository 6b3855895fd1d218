// expect: safe
// needs: states
// Three threads lock one and try the other.
#include <pthread.h>
#include <assert.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER; static int n;
static void lock2(pthread_mutex_t*x, pthread_mutex_t*y){ for(;;){ pthread_mutex_lock(x); if (!pthread_mutex_trylock(y)) return; pthread_mutex_unlock(x);} }
static void *w(void*p){ lock2(&a,&b); n++; pthread_mutex_unlock(&a); pthread_mutex_unlock(&b); return 0; }
static void *v(void*p){ lock2(&b,&a); n++; pthread_mutex_unlock(&a); pthread_mutex_unlock(&b); return 0; }
int main(void){ pthread_t t,u; pthread_create(&t,0,w,0); pthread_create(&u,0,v,0); lock2(&b,&a); n++; pthread_mutex_unlock(&a); pthread_mutex_unlock(&b); pthread_join(t,0); pthread_join(u,0); assert(n==3); }
