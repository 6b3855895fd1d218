// runs: 2
// A semaphore that starts at one serialises two sections: 2 runs.
#include <pthread.h>

#include <semaphore.h>

static sem_t s;
static int x;

static void *worker(void *arg)
{
    sem_wait(&s);
    x++;
    sem_post(&s);
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;
    sem_init(&s, 0, 1);
    pthread_create(&t1, NULL, worker, NULL);
    pthread_create(&t2, NULL, worker, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
