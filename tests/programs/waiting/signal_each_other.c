// expect: safe
// Each signals until the other answers. A thread that looked too early goes on to a wait, which may end spuriously.
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER, d = PTHREAD_COND_INITIALIZER;
static atomic_int first, second;
static void wait_for(pthread_cond_t *condition, atomic_int *answer)
{
    pthread_mutex_lock(&m);
    pthread_cond_wait(condition, &m);
    *answer = 1;
    pthread_mutex_unlock(&m);
}
static void *other(void *x)
{
    wait_for(&c, &first);
    while (!second)
        pthread_cond_signal(&d);
    return 0;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    while (!first)
        pthread_cond_signal(&c);
    wait_for(&d, &second);
    pthread_join(t, 0);
}
