// The waiter is done and frees the object before it is signalled.
#include <pthread.h>
#include <stdlib.h>

struct task {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int done;
};

static void *work(void *arg)
{
    struct task *task = arg;
    pthread_mutex_lock(&task->lock);
    task->done = 1;
    pthread_mutex_unlock(&task->lock);
    pthread_cond_signal(&task->changed); //~ BUG(memory)
    return NULL;
}

int main(void)
{
    struct task *task = malloc(sizeof *task);
    pthread_mutex_init(&task->lock, NULL);
    pthread_cond_init(&task->changed, NULL);
    task->done = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, work, task);
    pthread_mutex_lock(&task->lock);
    while (!task->done)
        pthread_cond_wait(&task->changed, &task->lock);
    pthread_mutex_unlock(&task->lock);
    free(task);
    pthread_join(thread, NULL);
    return 0;
}
