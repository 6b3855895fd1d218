// pthread_once: the initialiser runs exactly once, and every caller sees it finished.
#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int times, value;

static void initialise(void)
{
    times++;
    value = 9;
}

static void *worker(void *arg)
{
    pthread_once(&once, initialise);
    assert(value == 9);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(times == 1);
    return 0;
}
