// runs: 2
// 2 threads with one write each: 2! orders.
#include <pthread.h>

static int x;

static void *writer(void *arg)
{
    x = (int)(long)arg;
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, NULL, writer, (void *)1L);
    pthread_create(&t2, NULL, writer, (void *)2L);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
