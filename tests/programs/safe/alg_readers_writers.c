// Readers and writers from a mutex and a semaphore: the first reader locks the writers out.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t room;
static int readers, a, b;

static void *reader(void *arg)
{
    pthread_mutex_lock(&m);
    if (++readers == 1) sem_wait(&room);
    pthread_mutex_unlock(&m);
    assert(a == b);
    pthread_mutex_lock(&m);
    if (--readers == 0) sem_post(&room);
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *writer(void *arg)
{
    sem_wait(&room);
    a = 1;
    b = 1;
    sem_post(&room);
    return NULL;
}

int main(void)
{
    pthread_t r, w;
    sem_init(&room, 0, 1);
    pthread_create(&r, NULL, reader, NULL);
    pthread_create(&w, NULL, writer, NULL);
    pthread_join(r, NULL);
    pthread_join(w, NULL);
    return 0;
}
