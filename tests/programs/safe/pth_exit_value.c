// pthread_exit ends the thread from a nested call; its value arrives at pthread_join.
#include <assert.h>
#include <pthread.h>

static void give_up(long code)
{
    pthread_exit((void *)code);
}

static void *worker(void *arg)
{
    give_up(42);
    assert(0);
    return NULL;
}

int main(void)
{
    pthread_t t;
    void *code;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, &code);
    assert((long)code == 42);
    return 0;
}
