// What blocks at the beginning of an atomic section blocks before it, also when no other thread could go on.
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *work(void *arg)
{
    __VERIFIER_atomic_begin();
    pthread_mutex_lock(&m); //~ BUG(deadlock)
    x++;
    pthread_mutex_unlock(&m);
    __VERIFIER_atomic_end();
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_mutex_lock(&m);
    x++;
    pthread_join(t, NULL);
    return 0;
}
