// runs: 20
// traces: 10
// A semaphore that starts at two never blocks two threads: wait, write, post in each, C(6,3).
// The four operations on the semaphore have 6 orders. In the two in which one thread is done before the other waits they
// decide on the order of the writes, in the other four they do not: 2 + 4 * 2 traces.
#include <pthread.h>

#include <semaphore.h>

static sem_t s;
static int x;

static void *worker(void *arg)
{
    sem_wait(&s);
    x = 1;
    sem_post(&s);
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;
    sem_init(&s, 0, 2);
    pthread_create(&t1, NULL, worker, NULL);
    pthread_create(&t2, NULL, worker, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
