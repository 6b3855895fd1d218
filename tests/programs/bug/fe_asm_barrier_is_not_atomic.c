// A compiler barrier or a fence between read and write does not make an increment atomic.
#include <assert.h>
#include <pthread.h>

static int counter;

static void *worker(void *arg)
{
    int seen = counter;
    __asm__ __volatile__("mfence" ::: "memory");
    counter = seen + 1;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 2); //~ BUG(assertion)
    return 0;
}
