// runs: 1
// A heap block that only its thread knows is private: one run.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static pthread_t t1, t2;

static void *worker(void *arg)
{
    int *block = malloc(4 * sizeof *block);
    for (int i = 0; i < 4; i++)
        block[i] = i;
    assert(block[3] == 3);
    free(block);
    return NULL;
}

int main(void)
{
    pthread_create(&t1, NULL, worker, NULL);
    pthread_create(&t2, NULL, worker, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
