// A condition variable is destroyed while a thread waits on it.
#include <pthread.h>
#include <stdlib.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int w8;
static void *w(void *a)
{
    pthread_mutex_lock(&m);
    w8 = 1;
    pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return 0;
}
int main()
{
    pthread_t t;
    pthread_create(&t, 0, w, 0);
    pthread_mutex_lock(&m);
    if (w8) {
        pthread_cond_destroy(&c); //~ BUG(lock misuse)
    }
    pthread_mutex_unlock(&m);
    exit(0);
}
