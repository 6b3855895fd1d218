// A thread uses what another one frees, by a pointer of which nobody knows where it points.
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

static int total;

static void *use(void *arg)
{
    int *pointer = launder(arg);
    total += *pointer; //~ BUG(memory)
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int *number = malloc(sizeof *number);
    *number = 3;
    pthread_create(&thread, NULL, use, launder(number));
    free(number);
    pthread_join(thread, NULL);
    return 0;
}
