// Two rounds of read-add-write in each of two threads can end with 2: two updates are lost.
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
    assert(counter > 2); //~ BUG(assertion)
    return 0;
}
