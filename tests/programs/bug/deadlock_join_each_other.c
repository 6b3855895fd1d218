// Two threads wait for each other to end.
#include <pthread.h>

static pthread_t first, second;
static pthread_barrier_t both_known;

static void *joins_second(void *arg)
{
    pthread_barrier_wait(&both_known);
    pthread_join(second, NULL);
    return arg;
}

static void *joins_first(void *arg)
{
    pthread_barrier_wait(&both_known);
    pthread_join(first, NULL); //~ BUG(deadlock)
    return arg;
}

int main(void)
{
    pthread_barrier_init(&both_known, NULL, 3);
    pthread_create(&first, NULL, joins_second, NULL);
    pthread_create(&second, NULL, joins_first, NULL);
    pthread_barrier_wait(&both_known);
    pthread_exit(NULL);
}
