/* Two threads, eight atomic increments of one counter each: 12,870 interleavings. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

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
