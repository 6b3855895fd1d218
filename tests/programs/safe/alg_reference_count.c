// Atomic reference counting: the last owner, and only it, frees the object.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct object { int references; int value; };

static void *user(void *arg)
{
    struct object *o = arg;
    assert(o->value == 3);
    if (__atomic_sub_fetch(&o->references, 1, __ATOMIC_ACQ_REL) == 0)
        free(o);
    return NULL;
}

int main(void)
{
    pthread_t t;
    struct object *o = malloc(sizeof *o);
    o->references = 2;
    o->value = 3;
    pthread_create(&t, NULL, user, o);
    user(o);
    pthread_join(t, NULL);
    return 0;
}
