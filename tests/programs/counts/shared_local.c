// runs: 2
// A local of main becomes shared when both threads get its address: 2 orders.
#include <assert.h>
#include <pthread.h>

static void *worker(void *arg)
{
    *(int *)arg = 1;
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;
    int local = 0;
    pthread_create(&t1, NULL, worker, &local);
    pthread_create(&t2, NULL, worker, &local);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(local == 1);
    return 0;
}
