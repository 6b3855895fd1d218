/* N threads copy one variable to another of their own, all under one lock; the main thread first changes the one and later looks at the others. Each copy is
   made before, between or after that, in no order with the other copies. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int common, own[N];

static void *copy(void *arg)
{
    pthread_mutex_lock(&lock);
    own[(long)arg] = common;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    int sum = 0;
    for (long k = 0; k < N; k++)
        pthread_create(&threads[k], NULL, copy, (void *)k);
    pthread_mutex_lock(&lock);
    common = 1;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    for (int k = 0; k < N; k++)
        sum += own[k];
    pthread_mutex_unlock(&lock);
    for (int k = 0; k < N; k++)
        pthread_join(threads[k], NULL);
    return sum;
}
