// runs: 1
// Locals whose address is taken but never leaves the thread are private: one run.
#include <assert.h>
#include <pthread.h>

static void bump(int *p)
{
    ++*p;
}

static void *worker(void *arg)
{
    int local = 0, array[4] = {0};
    for (int i = 0; i < 4; i++) {
        bump(&local);
        bump(&array[i]);
    }
    assert(local == 4 && array[3] == 1);
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
