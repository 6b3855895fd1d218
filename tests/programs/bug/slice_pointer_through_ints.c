// An address goes through a queue of integers in two halves, each known only by what it is compared with.
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
static unsigned queue[2];
static int count;

static void put(uintptr_t address)
{
    queue[0] = (uintptr_t)launder((void *)(address & 0xffffffff));
    queue[1] = (uintptr_t)launder((void *)(address >> 32));
    count = 2;
}

static int *get(void)
{
    uintptr_t high = queue[--count];
    return (int *)(high << 32 | queue[--count]);
}

static void *change(void *arg)
{
    put((uintptr_t)&x);
    int *pointer = get();
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
