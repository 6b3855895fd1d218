// What a thread will access is known from before, but the thread is not there yet.
#include <assert.h>
#include <pthread.h>

static int last, steps, done;

static void *inner(void *arg)
{
    done = 1;
    return arg;
}

static void *outer(void *arg)
{
    pthread_t thread;
    last = 1;
    steps++;
    pthread_create(&thread, NULL, inner, NULL);
    steps++;
    pthread_join(thread, NULL);
    assert(done);
    return arg;
}

static void *other(void *arg)
{
    last = 2;
    steps++;
    int seen = done;
    assert(seen == 0 || seen == 1);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, outer, NULL);
    pthread_create(&threads[1], NULL, other, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
