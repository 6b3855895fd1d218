// The classic lost update with C11 threads.
#include <assert.h>
#include <threads.h>

static int counter;

static int worker(void *arg)
{
    counter = counter + 1;
    return 0;
}

int main(void)
{
    thrd_t a, b;
    thrd_create(&a, worker, NULL);
    thrd_create(&b, worker, NULL);
    thrd_join(a, NULL);
    thrd_join(b, NULL);
    assert(counter == 2); //~ BUG(assertion)
    return 0;
}
