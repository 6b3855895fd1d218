// A recursive mutex counts its locks and is free only after as many unlocks.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int inside;

static void enter(int depth)
{
    pthread_mutex_lock(&m);
    inside++;
    if (depth > 0) enter(depth - 1);
    inside--;
    pthread_mutex_unlock(&m);
}

static void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    assert(inside == 0);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    enter(1);
    pthread_join(t, NULL);
    return 0;
}
