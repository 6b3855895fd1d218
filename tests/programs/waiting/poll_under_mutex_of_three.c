// expect: safe
// needs: states
// Two threads poll under a mutex.
#include <pthread.h>
#include <assert.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static int ready, d;
static void *w(void*a){ pthread_mutex_lock(&m); d=1; ready=1; pthread_mutex_unlock(&m); return 0; }
static void poll(void) { for(;;){ pthread_mutex_lock(&m); int r = ready; pthread_mutex_unlock(&m); if (r) break; } assert(d==1); }
static void *p(void*a){ poll(); return 0; }
int main(void){ pthread_t t, u; pthread_create(&t,0,w,0); pthread_create(&u,0,p,0); poll(); pthread_join(t,0); pthread_join(u,0); }
