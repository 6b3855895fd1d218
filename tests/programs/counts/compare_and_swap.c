// runs: 6
// traces: 3
// One compare-and-swap in each of three threads, whether it succeeds or not: 3! orders.
// Only the first writes, and the order of those that fail does not matter: 3 traces.
#include <pthread.h>

#include <stdatomic.h>

static atomic_int owner;
static pthread_t t1, t2, t3;

static void *claim(void *arg)
{
    int nobody = 0;
    atomic_compare_exchange_strong(&owner, &nobody, (int)(long)arg);
    return NULL;
}

int main(void)
{
    pthread_create(&t1, NULL, claim, (void *)1L);
    pthread_create(&t2, NULL, claim, (void *)2L);
    pthread_create(&t3, NULL, claim, (void *)3L);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    pthread_join(t3, NULL);
    return 0;
}
