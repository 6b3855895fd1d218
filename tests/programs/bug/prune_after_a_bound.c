// sleave: --unwind 5
// What a bound cuts off is no reason why nothing fails from there.
#include <assert.h>
#include <pthread.h>

static int rounds;

static void *few(void *arg)
{
    rounds = 2;
    return arg;
}

static void *many(void *arg)
{
    rounds = 10;
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    int sum = 0;
    pthread_create(&threads[0], NULL, few, NULL);
    pthread_create(&threads[1], NULL, many, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    for (int i = 0; i < rounds; i++)
        sum += i;
    assert(sum != 1); //~ BUG(assertion)
    return 0;
}
