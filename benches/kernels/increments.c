/* Two threads, eight unprotected increments of one counter each: 601,080,390 interleavings. */
#include <pthread.h>

static int counter;

static void *work(void *arg)
{
    for (int i = 0; i < 8; i++)
        counter++;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
