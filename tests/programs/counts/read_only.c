// runs: 1
// traces: 1
// Data that the threads only read is not visible: one run.
#include <assert.h>
#include <pthread.h>

static int table[3];

static void *worker(void *arg)
{
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += table[i];
    assert(sum == 6);
    return NULL;
}

int main(void)
{
    pthread_t t1, t2, t3;
    for (int i = 0; i < 3; i++)
        table[i] = i + 1;
    pthread_create(&t1, NULL, worker, NULL);
    pthread_create(&t2, NULL, worker, NULL);
    pthread_create(&t3, NULL, worker, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    pthread_join(t3, NULL);
    return 0;
}
