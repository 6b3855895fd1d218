// However the updates get lost, two threads with two increments each leave at least 2.
#include <assert.h>
#include <pthread.h>

static int counter;

static void *worker(void *arg)
{
    for (int i = 0; i < 2; i++) {
        int seen = counter;
        counter = seen + 1;
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter >= 2 && counter <= 4);
    return 0;
}
