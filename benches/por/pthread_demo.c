/* Two threads increment a counter N times each, under a lock. */
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 8
#endif

static int counter;
static pthread_mutex_t lock;

static void *incrementer(void *arg)
{
    for (int k = 0; k < N; k++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_mutex_init(&lock, NULL);
    pthread_create(&first, NULL, incrementer, NULL);
    pthread_create(&second, NULL, incrementer, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(counter == 2 * N);
    return 0;
}
