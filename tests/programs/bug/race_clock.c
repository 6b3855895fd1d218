// sleave: --property race
// Reading a clock orders nothing.
#include <pthread.h>
#include <time.h>

static int x;

static void *work(void *arg)
{
    x++;
    clock();
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    clock();
    x++; //~ BUG(race)
    pthread_join(thread, NULL);
    return 0;
}
