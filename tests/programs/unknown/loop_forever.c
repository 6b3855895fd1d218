// sleave: --unwind 3
// A loop without end that writes shared memory.
#include <pthread.h>

static volatile int beats;

static void *heart(void *arg)
{
    for (;;) beats = 1; //~ UNKNOWN(loop bound)
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, heart, 0);
    int seen = beats;
    pthread_join(t, 0);
    return seen;
}
