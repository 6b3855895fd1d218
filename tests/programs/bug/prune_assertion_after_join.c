// An assertion is no assumption, also when only one thread is left to fail it.
#include <pthread.h>

extern void __VERIFIER_assert(int);

static int last, ready;

static void *first(void *arg)
{
    last = 1;
    ready++;
    return arg;
}

static void *second(void *arg)
{
    last = 2;
    ready++;
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    __VERIFIER_assert(last == 2); //~ BUG(assertion)
    return 0;
}
