// The count is dropped and then read again: by then the other owner may have freed the object.
#include <pthread.h>
#include <stdlib.h>

struct object { int references; };

static void *user(void *arg)
{
    struct object *o = arg;
    __atomic_fetch_sub(&o->references, 1, __ATOMIC_ACQ_REL);
    if (o->references == 0) free(o); //~ BUG(memory)
    return NULL;
}

int main(void)
{
    pthread_t t;
    struct object *o = malloc(sizeof *o);
    o->references = 2;
    pthread_create(&t, NULL, user, o);
    user(o);
    pthread_join(t, NULL);
    return 0;
}
