// The lock is taken only for some inputs but always released.
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    int shared = __VERIFIER_nondet_int() != 0;
    if (shared)
        pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m); //~ BUG(lock misuse)
    return 0;
}
