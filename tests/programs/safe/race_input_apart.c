// sleave: --property race
// Indices that are never equal.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int condition);

int table[4];
int mine, yours;

void *worker(void *arg)
{
    (void)arg;
    table[yours] = 1;
    return NULL;
}

int main(void)
{
    mine = __VERIFIER_nondet_int();
    yours = __VERIFIER_nondet_int();
    __VERIFIER_assume(mine >= 0 && mine < 4);
    __VERIFIER_assume(yours >= 0 && yours < 4);
    __VERIFIER_assume(mine != yours);
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    table[mine] = 2;
    pthread_join(thread, NULL);
    return 0;
}
