// A pointer that is an input points to what an assertion reads.
#include <assert.h>
#include <pthread.h>

void klee_make_symbolic(void *, unsigned long, const char *);

static int x;

static void *change(void *arg)
{
    int *pointer;
    klee_make_symbolic(&pointer, sizeof pointer, "pointer");
    if (pointer != &x)
        return arg;
    *pointer = 1;
    *pointer = 2;
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, change, NULL);
    int seen = x;
    assert(seen != 1); //~ BUG(assertion)
    pthread_join(thread, NULL);
    return 0;
}
