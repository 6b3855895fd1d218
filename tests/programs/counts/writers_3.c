// runs: 6
// 3 threads with one write each: 3! orders.
#include <pthread.h>

static int x;
static pthread_t t1, t2, t3;

static void *writer(void *arg)
{
    x = (int)(long)arg;
    return NULL;
}

int main(void)
{
    pthread_create(&t1, NULL, writer, (void *)1L);
    pthread_create(&t2, NULL, writer, (void *)2L);
    pthread_create(&t3, NULL, writer, (void *)3L);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    pthread_join(t3, NULL);
    return 0;
}
