// sleave: -- -m32
// An atomic access is one, whatever its width.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic long long shared;

static void *writer(void *arg)
{
    shared = -1;
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    long long copy = shared;
    pthread_join(t, NULL);
    assert(copy == 0 || copy == -1);
    return 0;
}
