// Two threads wait on one condition variable with different mutexes.
#include <pthread.h>
#include <stdlib.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *w(void *a)
{
    pthread_mutex_lock(a);
    pthread_cond_wait(&c, a); //~ BUG(lock misuse)
    pthread_mutex_unlock(a);
    return 0;
}
int main()
{
    pthread_t t;
    pthread_create(&t, 0, w, &m);
    pthread_create(&t, 0, w, &n);
    exit(0);
}
