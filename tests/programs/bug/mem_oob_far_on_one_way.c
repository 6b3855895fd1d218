// The pointer is moved far away on one way only, and in a loop.
#include <pthread.h>

static int small[4], large[4096];
static int step = 1;

static void *change(void *arg)
{
    step = 1000;
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, change, NULL);
    int by = step, sum = 0;
    int *p = small;
    for (int i = 0; i < 2; i++) {
        sum += *p; //~ BUG(memory)
        if (by > 0)
            p += by;
    }
    pthread_join(thread, NULL);
    return sum + large[0];
}
