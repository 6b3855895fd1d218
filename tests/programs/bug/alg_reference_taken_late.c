// A reference is taken from a shared pointer after its owner may have freed the object.
#include <pthread.h>
#include <stdlib.h>

struct object { int references; };
static struct object *shared;

static void *borrower(void *arg)
{
    struct object *o = shared;
    if (o)
        __atomic_fetch_add(&o->references, 1, __ATOMIC_ACQ_REL); //~ BUG(memory)
    return NULL;
}

int main(void)
{
    pthread_t t;
    struct object *o = malloc(sizeof *o);
    o->references = 1;
    shared = o;
    pthread_create(&t, NULL, borrower, NULL);
    shared = NULL;
    if (__atomic_sub_fetch(&o->references, 1, __ATOMIC_ACQ_REL) == 0)
        free(o);
    pthread_join(t, NULL);
    return 0;
}
