/* One thread pushes inputs to a stack, the other pops, SIZE times each, under a lock. The second waits until there has been a
   push, but there may be more pops than pushes since: the assertion that the stack is not empty fails.
   P1, Table 2, stackfalse; the algorithm is that of SV-COMP's stack. The critical sections have 527 orders, cut where the
   assertion fails: that is the paper's count, and so SIZE is 6. DPOR has to follow all orders of sections of one lock, as it
   does in the paper's circularbufbad and queuefalse. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#ifndef SIZE
#define SIZE 6
#endif

extern unsigned __VERIFIER_nondet_uint(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned elements[SIZE];
static int top;
static bool has_begun;

static void push(unsigned element)
{
    assert(top < SIZE);
    elements[top] = element;
    top++;
}

static unsigned pop(void)
{
    assert(top > 0);
    top--;
    return elements[top];
}

static void *pusher(void *arg)
{
    for (int k = 0; k < SIZE; k++) {
        pthread_mutex_lock(&lock);
        push(__VERIFIER_nondet_uint());
        has_begun = true;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *popper(void *arg)
{
    for (int k = 0; k < SIZE; k++) {
        pthread_mutex_lock(&lock);
        if (has_begun)
            pop();
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, pusher, NULL);
    pthread_create(&u, NULL, popper, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
