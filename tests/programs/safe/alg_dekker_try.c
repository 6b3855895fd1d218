// Two flags, each raised before the other is looked at: at most one thread gets in (perhaps none).
#include <assert.h>
#include <pthread.h>

static int raised[2], inside;

static void *worker(void *arg)
{
    int me = (int)(long)arg;
    raised[me] = 1;
    if (!raised[1 - me]) {
        assert(inside == 0);
        inside = 1;
        inside = 0;
    }
    raised[me] = 0;
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
