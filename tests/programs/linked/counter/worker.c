// The other half of main.c.
#include <pthread.h>

int total;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static int amount(void) { return 10; }

void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    total += amount();
    pthread_mutex_unlock(&m);
    return arg;
}
