// A run that an assume blocks for ever is no run at all, hence no deadlock.
#include <pthread.h>
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int flag;

static void *worker(void *arg)
{
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(flag == 1);
    __VERIFIER_atomic_end();
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    flag = 2;
    pthread_join(t, NULL);
    return 0;
}
