// An atomic section begins with a copy, of which only the second part meets another thread: runs must not take it for done.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int *shared;
static _Alignas(8) unsigned char from[8], to[16];

static void *show(void *arg)
{
    int *own = calloc(1, sizeof *own);
    shared = own;
    *own = 3; //~ BUG(memory)
    return arg;
}

static void *release(void *arg)
{
    __VERIFIER_atomic_begin();
    memmove(to + 6, from, 6);
    free(shared);
    __VERIFIER_atomic_end();
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, show, NULL);
    pthread_create(&second, NULL, release, NULL);
    from[3] = 2;
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
