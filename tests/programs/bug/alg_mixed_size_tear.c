// A 16-bit value written as two bytes is seen half-written.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static union { uint16_t whole; uint8_t byte[2]; } u;

static void *writer(void *arg)
{
    u.byte[0] = 0xff;
    u.byte[1] = 0xff;
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    uint16_t seen = u.whole;
    assert(seen == 0 || seen == 0xffff); //~ BUG(assertion)
    pthread_join(t, NULL);
    return 0;
}
