// That an assumption failed is a reason why nothing else did.
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int);

static int number, done;

static void *take(void *arg)
{
    int mine = number;
    number = mine + 1;
    __VERIFIER_assume(mine == done);
    assert(number < 2 || done); //~ BUG(assertion)
    done = 1;
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, take, NULL);
    pthread_create(&threads[1], NULL, take, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
