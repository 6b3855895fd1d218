// The time is up before the signal comes, but the mutex is only free after it.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int flag;
static void *w(void *a)
{
    pthread_mutex_lock(&m);
    flag = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return 0;
}
int main()
{
    pthread_t t;
    struct timespec ts = {0, 0};
    pthread_mutex_lock(&m);
    pthread_create(&t, 0, w, 0);
    int r = pthread_cond_timedwait(&c, &m, &ts);
    if (r == ETIMEDOUT)
        assert(!flag); //~ BUG(assertion)
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
}
