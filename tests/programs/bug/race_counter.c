// sleave: --property race
// Nobody protects the counter.
#include <pthread.h>

int counter;

static void add(int amount)
{
    counter += amount; //~ BUG(race)
}

void *worker(void *arg)
{
    (void)arg;
    add(1);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, worker, NULL);
    pthread_create(&second, NULL, worker, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
