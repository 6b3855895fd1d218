// sleave: --property assertion
// The first thread waits for the third. What it writes after that races with the second thread's write, also where it still waits
// and what follows is known from a summary.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int shared, closed = 1;

static void *wait_and_write(void *arg)
{
    while (!__sync_bool_compare_and_swap(&closed, 0, 2))
        ;
    shared = 1;
    assert(shared == 1); //~ BUG(assertion)
    return arg;
}

static void *clear(void *arg)
{
    shared = 0;
    return arg;
}

static void *write_and_open(void *arg)
{
    shared = 1;
    closed = 0;
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, wait_and_write, NULL);
    pthread_create(&threads[1], NULL, clear, NULL);
    pthread_create(&threads[2], NULL, write_and_open, NULL);
    return 0;
}
