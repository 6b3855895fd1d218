// Both threads register the same object for destruction: it is freed twice.
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;

static void destroy(void *value)
{
    free(value); //~ BUG(memory)
}

static void *worker(void *arg)
{
    pthread_setspecific(key, arg);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    void *object = malloc(4);
    pthread_key_create(&key, destroy);
    pthread_create(&a, NULL, worker, object);
    pthread_create(&b, NULL, worker, object);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
