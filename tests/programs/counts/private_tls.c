// runs: 1
// Thread-local variables are private: one run.
#include <assert.h>
#include <pthread.h>

static __thread int mine;

static void *worker(void *arg)
{
    for (int i = 0; i < 3; i++)
        mine++;
    assert(mine == 3);
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, NULL, worker, NULL);
    pthread_create(&t2, NULL, worker, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
