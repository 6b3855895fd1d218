// main goes on in the middle of the step in which another thread ends. What it does there is not that thread's.
#include <assert.h>
#include <pthread.h>

static int shared;

static void *grandchild(void *arg)
{
    shared = 3;
    return arg;
}

static void *child(void *arg)
{
    pthread_t thread;
    pthread_create(&thread, NULL, grandchild, NULL);
    return (void *)(long)shared;
}

static void *sibling(void *arg)
{
    return (void *)(long)shared;
}

int main(void)
{
    pthread_t a, b;
    void *first, *second;
    pthread_create(&a, NULL, child, NULL);
    pthread_create(&b, NULL, sibling, NULL);
    pthread_join(a, &first);
    pthread_join(b, &second);
    assert(!((long)first == 3 && (long)second == 0)); //~ BUG(assertion)
    return 0;
}
