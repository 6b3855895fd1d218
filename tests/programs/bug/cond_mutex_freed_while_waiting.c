// sleave: --no-spurious
// The mutex of a waiter is freed before it is signalled: the waiter takes it again.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t *lock;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waits;

static void *wait(void *arg)
{
    pthread_mutex_lock(lock);
    waits = 1;
    pthread_cond_wait(&changed, lock); //~ BUG(memory)
    return arg;
}

int main(void)
{
    lock = malloc(sizeof *lock);
    pthread_mutex_init(lock, NULL);
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
    pthread_mutex_lock(lock);
    int is_there = waits;
    pthread_mutex_unlock(lock);
    if (!is_there)
        return 0;
    free(lock);
    pthread_cond_signal(&changed);
    pthread_join(thread, NULL);
    return 0;
}
