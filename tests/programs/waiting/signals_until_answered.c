// expect: safe
// A round of the signaller's loop changes nothing while nobody waits, and wakes the waiter once it does.
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int done;
static void *waiter(void *x)
{
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m);
    done = 1;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, waiter, 0);
    while (!done)
        pthread_cond_signal(&c);
    pthread_join(t, 0);
}
