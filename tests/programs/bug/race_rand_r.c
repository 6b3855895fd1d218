// sleave: --property race
// rand_r changes its seed.
#include <pthread.h>
#include <stdlib.h>

static unsigned seed;

static void *work(void *arg)
{
    rand_r(&seed); //~ BUG(race)
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
