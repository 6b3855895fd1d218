// sleave: --all --por source
// What follows from the middle of the first thread's step is known for some inputs. With the others it waits in its loop: that it waits is no more than
// what these say.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int first, second, third, wanted;

static void *wait(void *arg)
{
    first = 2;
    if (first != 2)
        while (third == 0)
            ;
    return arg;
}

static void *look(void *arg)
{
    assert(first != wanted); //~ BUG(assertion)
    __VERIFIER_assume(second == 2);
    return arg;
}

static void *change(void *arg)
{
    first = 1;
    second = wanted;
    if (third != 2) {
        third = third;
        __VERIFIER_assume(third != 0);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    third = __VERIFIER_nondet_int();
    wanted = __VERIFIER_nondet_int();
    pthread_create(&threads[0], NULL, wait, NULL);
    pthread_create(&threads[1], NULL, look, NULL);
    pthread_create(&threads[2], NULL, change, NULL);
    pthread_join(threads[0], NULL);
    return 0;
}
