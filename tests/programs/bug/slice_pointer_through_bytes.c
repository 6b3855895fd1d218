// An address is copied byte by byte, each byte compared with every number there is.
#include <assert.h>
#include <pthread.h>
#include <string.h>

static int x;

static unsigned char same(unsigned char byte)
{
    for (int i = 0; i < 256; i++)
        if (byte == i)
            return i;
    return 0;
}

static void *change(void *arg)
{
    int *from = &x, *pointer;
    unsigned char bytes[sizeof from];
    memcpy(bytes, &from, sizeof from);
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = same(bytes[i]);
    memcpy(&pointer, bytes, sizeof pointer);
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
