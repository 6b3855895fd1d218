// A mutex is destroyed while another thread holds it.
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t held;

static void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    sem_post(&held);
    return NULL;
}

int main(void)
{
    pthread_t t;
    sem_init(&held, 0, 0);
    pthread_create(&t, NULL, worker, NULL);
    sem_wait(&held);
    pthread_mutex_destroy(&m); //~ BUG(lock misuse)
    pthread_join(t, NULL);
    return 0;
}
