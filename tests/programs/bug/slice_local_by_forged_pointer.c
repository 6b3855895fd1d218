// A local of another thread is written by a forged pointer.
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

static uintptr_t address;

static void *change(void *arg)
{
    int *pointer = launder(arg);
    *pointer = 1;
    *pointer = 2;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    volatile int local = 0;
    address = (uintptr_t)&local;
    pthread_create(&thread, NULL, change, launder((void *)address));
    int seen = local;
    assert(seen != 1); //~ BUG(assertion)
    pthread_join(thread, NULL);
    return 0;
}
