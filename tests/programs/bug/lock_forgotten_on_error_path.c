// One path returns without unlocking: the second call locks again.
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static int step(int value)
{
    pthread_mutex_lock(&m); //~ BUG(lock misuse)
    if (value == 13)
        return -1;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    step(__VERIFIER_nondet_int());
    step(1);
    return 0;
}
