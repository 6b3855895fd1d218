// The lock order depends on an input: a negative one makes main lock in the opposite order.
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static int swap;

static void *forwards(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); //~ BUG(deadlock)
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return NULL;
}

int main(void)
{
    pthread_t t;
    swap = __VERIFIER_nondet_int() < 0;
    pthread_mutex_t *first = swap ? &b : &a, *second = swap ? &a : &b;
    pthread_create(&t, NULL, forwards, NULL);
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
    pthread_join(t, NULL);
    return 0;
}
