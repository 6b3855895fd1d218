// sem_getvalue reads the semaphore, and writes what it has read a moment later.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t s;
static int value = -1;

static void *worker(void *arg)
{
    sem_post(&s);
    value = 5;
    return NULL;
}

int main(void)
{
    pthread_t t;
    sem_init(&s, 0, 0);
    pthread_create(&t, NULL, worker, NULL);
    sem_getvalue(&s, &value);
    pthread_join(t, NULL);
    assert(value != 0); //~ BUG(assertion)
    return 0;
}
