// A function is called by an address of which nobody knows whence it comes. It writes what an assertion reads.
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

static void set(void)
{
    x = 1;
    x = 2;
}

static void *change(void *arg)
{
    void (*function)(void) = (void (*)(void))launder((void *)set);
    function();
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
