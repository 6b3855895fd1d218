// The memory of a mutex is given back in a section of it, and the mutex unlocked afterwards.
#include <pthread.h>
#include <stdlib.h>

struct object {
    pthread_mutex_t mutex;
    int references;
};

static void *work(void *arg)
{
    return arg;
}

int main(void)
{
    struct object *object = malloc(sizeof *object);
    pthread_t thread;

    pthread_mutex_init(&object->mutex, NULL);
    object->references = 1;
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&object->mutex);
    if (--object->references == 0)
        free(object);
    pthread_mutex_unlock(&object->mutex); //~ BUG(memory)
    pthread_join(thread, NULL);
    return 0;
}
