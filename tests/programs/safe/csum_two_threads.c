// What C says of arithmetic in threads: the checksum is what two compilers compute.
#include <assert.h>
#include <pthread.h>

static unsigned parts[2];
static void *work(void *argument)
{
    unsigned me = (unsigned)(unsigned long)argument, x = 0x1234567u * (me + 1);
    for (unsigned i = 0; i < 16; i++)
        x = (x ^ x >> 7) * 2654435761u + (unsigned)((signed char)x >> 2);
    parts[me] = x;
    return 0;
}
static unsigned checksum(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, work, (void *)0ul);
    pthread_create(&two, 0, work, (void *)1ul);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return parts[0] * 3 ^ parts[1];
}

int main(void)
{
    assert(checksum() == 2211704619u);
    return 0;
}
