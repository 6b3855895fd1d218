// expect: safe
// A round that wakes all who wait, one of them with a time-out.
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int answers;
static void *waiter(void *x)
{
    struct timespec soon = {1, 0};
    pthread_mutex_lock(&m);
    if (x)
        pthread_cond_timedwait(&c, &m, &soon);
    else
        pthread_cond_wait(&c, &m);
    answers++;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, waiter, 0);
    pthread_create(&u, 0, waiter, &t);
    while (answers < 2)
        pthread_cond_broadcast(&c);
    pthread_join(t, 0);
    pthread_join(u, 0);
}
