// Which of two threads registers its handler first is not determined, and so is the order of the calls.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int last;

static void first(void)
{
    last = 1;
}

static void second(void)
{
    last = 2;
}

static void check(void)
{
    assert(last == 1); //~ BUG(assertion)
}

static void *worker(void *arg)
{
    atexit(second);
    return NULL;
}

int main(void)
{
    pthread_t t;
    atexit(check);
    pthread_create(&t, NULL, worker, NULL);
    atexit(first);
    pthread_join(t, NULL);
    return 0;
}
