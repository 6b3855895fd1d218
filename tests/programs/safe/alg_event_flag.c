// An event that stays set: a mutex, a condition and a flag in one object on main's stack.
#include <assert.h>
#include <pthread.h>

struct event { pthread_mutex_t lock; pthread_cond_t changed; int set; };

static void event_set(struct event *e)
{
    pthread_mutex_lock(&e->lock);
    e->set = 1;
    pthread_cond_broadcast(&e->changed);
    pthread_mutex_unlock(&e->lock);
}

static void event_wait(struct event *e)
{
    pthread_mutex_lock(&e->lock);
    while (!e->set)
        pthread_cond_wait(&e->changed, &e->lock);
    pthread_mutex_unlock(&e->lock);
}

static int result;

static void *worker(void *arg)
{
    result = 11;
    event_set(arg);
    return NULL;
}

int main(void)
{
    pthread_t t;
    struct event done = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
    pthread_create(&t, NULL, worker, &done);
    event_wait(&done);
    assert(result == 11);
    pthread_join(t, NULL);
    return 0;
}
