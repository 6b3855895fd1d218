// sleave: --time-limit 2
// Far more interleavings than two seconds allow.
#include <pthread.h>

static volatile int x;

static void *worker(void *arg)
{
    for (int i = 0; i < 12; i++) x = x + 1;
    return 0;
}

int main(void) //~ UNKNOWN(time limit)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_create(&c, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
