// The producer announces the item before it has written it.
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);

static int buffer[2];
static unsigned produced;

static void *producer(void *arg)
{
    produced = 1;
    buffer[0] = 5;
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    __VERIFIER_assume(produced == 1);
    assert(buffer[0] == 5); //~ BUG(assertion)
    pthread_join(t, NULL);
    return 0;
}
