// A store goes to one of two places that overlap: where it does not go, nothing changes.
#include <assert.h>
#include <pthread.h>

unsigned __VERIFIER_nondet_uint(void);

static unsigned char bytes[8];

static void *store(void *arg)
{
    unsigned at = __VERIFIER_nondet_uint() & 1;
    *(short *)(bytes + at) = 0x0102;
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, store, NULL);
    int seen = bytes[1];
    assert(seen != 1); //~ BUG(assertion)
    pthread_join(thread, NULL);
    return 0;
}
