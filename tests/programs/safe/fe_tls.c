// Each thread has its own copy of a __thread variable, initialised afresh.
#include <assert.h>
#include <pthread.h>

static __thread int mine = 5;
static _Thread_local int zero;

static void *worker(void *arg)
{
    assert(mine == 5 && zero == 0);
    mine += (int)(long)arg;
    zero = 1;
    assert(mine == 5 + (int)(long)arg);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    mine = 50;
    pthread_create(&a, 0, worker, (void *)1);
    pthread_create(&b, 0, worker, (void *)2);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(mine == 50 && zero == 0);
    return 0;
}
