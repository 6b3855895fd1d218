// sleave: --property assertion
// The same as slice_pointer_bit_by_bit.c where only assertions are asked for.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

/* The same address, of which a static analysis sees nothing: it goes from bit to bit by the way that is taken. */
static void *launder(void *pointer)
{
    uintptr_t from = (uintptr_t)pointer, to = 0;
    for (int i = 0; i < 64; i++)
        if (from >> i & 1)
            to |= (uintptr_t)1 << i;
    return (void *)to;
}

static int x;

static void *change(void *arg)
{
    int *pointer = launder(&x);
    *pointer = 1;
    *pointer = 2;
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, change, NULL);
    int seen = x;
    assert(seen != 1); //~ BUG(assertion)
    pthread_join(thread, NULL);
    return 0;
}
