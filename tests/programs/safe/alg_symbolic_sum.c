// Two threads add an input each, under a lock: the sum does not depend on the order.
#include <assert.h>
#include <pthread.h>
extern unsigned __VERIFIER_nondet_uint(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static unsigned total, input[2];

static void *adder(void *arg)
{
    pthread_mutex_lock(&m);
    total += input[(long)arg];
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    input[0] = __VERIFIER_nondet_uint();
    input[1] = __VERIFIER_nondet_uint();
    pthread_create(&a, NULL, adder, (void *)0);
    pthread_create(&b, NULL, adder, (void *)1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(total == input[0] + input[1]);
    return 0;
}
