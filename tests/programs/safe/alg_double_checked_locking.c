// Double-checked locking, right: the pointer is published when the object is complete.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct config { int size; };
static struct config *volatile instance;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *user(void *arg)
{
    struct config *c = instance;
    if (!c) {
        pthread_mutex_lock(&m);
        c = instance;
        if (!c) {
            c = malloc(sizeof *c);
            c->size = 8;
            instance = c;
        }
        pthread_mutex_unlock(&m);
    }
    assert(c->size == 8);
    return c;
}

int main(void)
{
    pthread_t a, b;
    void *first, *second;
    pthread_create(&a, NULL, user, NULL);
    pthread_create(&b, NULL, user, NULL);
    pthread_join(a, &first);
    pthread_join(b, &second);
    assert(first == second);
    return 0;
}
