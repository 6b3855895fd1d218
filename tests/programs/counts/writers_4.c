// runs: 24
// traces: 24
// 4 threads with one write each: 4! orders.
#include <pthread.h>

static int x;

static void *writer(void *arg)
{
    x = (int)(long)arg;
    return NULL;
}

int main(void)
{
    pthread_t t1, t2, t3, t4;
    pthread_create(&t1, NULL, writer, (void *)1L);
    pthread_create(&t2, NULL, writer, (void *)2L);
    pthread_create(&t3, NULL, writer, (void *)3L);
    pthread_create(&t4, NULL, writer, (void *)4L);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    pthread_join(t3, NULL);
    pthread_join(t4, NULL);
    return 0;
}
