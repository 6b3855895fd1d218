// Peterson's algorithm; waiting is an assumption.
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);

static int wants[2], turn, counter;

static void *worker(void *arg)
{
    int me = (int)(long)arg, other = 1 - me;
    wants[me] = 1;
    turn = other;
    __VERIFIER_assume(!(wants[other] && turn == other));
    counter++;
    wants[me] = 0;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, (void *)0);
    pthread_create(&b, NULL, worker, (void *)1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    return 0;
}
