// Two flags, looked at before one's own is raised: both get in.
#include <assert.h>
#include <pthread.h>

static int raised[2], inside;

static void *worker(void *arg)
{
    int me = (int)(long)arg;
    if (!raised[1 - me]) {
        raised[me] = 1;
        int others = __atomic_fetch_add(&inside, 1, __ATOMIC_SEQ_CST);
        assert(others == 0); //~ BUG(assertion)
        __atomic_fetch_sub(&inside, 1, __ATOMIC_SEQ_CST);
        raised[me] = 0;
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, (void *)0);
    pthread_create(&b, NULL, worker, (void *)1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
