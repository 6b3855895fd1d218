// expect: safe
// As with two threads; whom a signal wakes is a choice.
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int answers;
static void *waiter(void *x)
{
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m);
    answers++;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, waiter, 0);
    pthread_create(&u, 0, waiter, 0);
    while (answers < 2)
        pthread_cond_signal(&c);
    pthread_join(t, 0);
    pthread_join(u, 0);
}
