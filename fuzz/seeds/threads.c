#include <pthread.h>
#include <assert.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *bump(void *p) { pthread_mutex_lock(&m); x += *(int *)p; pthread_mutex_unlock(&m); return 0; }
int main(void) { pthread_t t; int one = 1; pthread_create(&t, 0, bump, &one); bump(&one); pthread_join(t, 0); assert(x == 2); return 0; }
