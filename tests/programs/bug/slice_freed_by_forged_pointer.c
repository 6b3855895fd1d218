// A thread frees what another one uses, by a pointer of which nobody knows where it points.
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

/* The same address, of which a static analysis sees nothing: it goes from bit to bit by the way that is taken. */
static void *launder(void *pointer)
{
    uintptr_t from = (uintptr_t)pointer, to = 0;
    for (int i = 0; i < 64; i++)
        if (from >> i & 1)
            to |= (uintptr_t)1 << i;
    return (void *)to;
}

static int *shared;
static int total;

static void *end(void *arg)
{
    free(launder(shared));
    return arg;
}

int main(void)
{
    pthread_t thread;
    shared = malloc(sizeof *shared);
    *shared = 3;
    pthread_create(&thread, NULL, end, NULL);
    total += *shared; //~ BUG(memory)
    pthread_join(thread, NULL);
    return 0;
}
