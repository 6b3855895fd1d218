// runs: 1
// Each thread writes its own element of one array: no two accesses meet, one run.
#include <assert.h>
#include <pthread.h>

static int cell[2];

static void *worker(void *arg)
{
    long i = (long)arg;
    cell[i]++;
    cell[i]++;
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, NULL, worker, (void *)0L);
    pthread_create(&t2, NULL, worker, (void *)1L);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(cell[0] == 2 && cell[1] == 2);
    return 0;
}
