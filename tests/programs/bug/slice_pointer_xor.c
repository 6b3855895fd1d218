// Two addresses are kept as one number: what is left when one is taken out is the other.
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

static int x, y;
static uintptr_t both;

static void *change(void *arg)
{
    both = (uintptr_t)launder(&x) ^ (uintptr_t)&y;
    int *pointer = (int *)(both ^ (uintptr_t)&y);
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
