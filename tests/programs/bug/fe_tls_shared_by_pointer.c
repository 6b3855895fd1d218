// A __thread variable is shared after all when its address is given away.
#include <assert.h>
#include <pthread.h>

static __thread int mine;

static void *worker(void *arg)
{
    *(int *)arg = 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, &mine);
    assert(mine == 0); //~ BUG(assertion)
    pthread_join(t, 0);
    return 0;
}
