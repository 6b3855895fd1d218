// Two threads exit, and a handler exits once more: what is left is run, nothing twice.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int first, second;

static void last(void)
{
    first++;
    assert(first == 1 && second == 1);
}

static void again(void)
{
    second++;
    assert(second == 1);
    exit(1);
}

static void *worker(void *arg)
{
    exit(0);
}

int main(void)
{
    pthread_t t;
    atexit(last);
    atexit(again);
    pthread_create(&t, NULL, worker, NULL);
    exit(0);
}
