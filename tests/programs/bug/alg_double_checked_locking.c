// Double-checked locking, wrong: the pointer is published before the object is complete.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct config { int size; };
static struct config *volatile instance;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *user(void *arg)
{
    if (!instance) {
        pthread_mutex_lock(&m);
        if (!instance) {
            instance = calloc(1, sizeof *instance);
            instance->size = 8;
        }
        pthread_mutex_unlock(&m);
    }
    assert(instance->size == 8); //~ BUG(assertion)
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, user, NULL);
    user(NULL);
    pthread_join(t, NULL);
    return 0;
}
