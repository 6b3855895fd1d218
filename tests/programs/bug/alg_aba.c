// ABA: while one thread is about to pop A, the other pops A and B and pushes A again.
// The first thread's compare-and-swap succeeds and puts B, which is no longer its to give, on top.
#include <assert.h>
#include <pthread.h>

enum { NONE, A, B };
static int top = A;
static int next[3] = {NONE, B, NONE};
static int b_taken;

static int pop(void)
{
    int old = __atomic_load_n(&top, __ATOMIC_SEQ_CST);
    if (old == NONE) return NONE;
    int after = next[old];
    return __atomic_compare_exchange_n(&top, &old, after, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) ? old : NONE;
}

static void *popper(void *arg)
{
    pop();
    return NULL;
}

static void *recycler(void *arg)
{
    int a = pop();
    int b = pop();
    b_taken = b == B;
    if (a == A && b == B) {
        next[A] = NONE;
        int empty = NONE;
        __atomic_compare_exchange_n(&top, &empty, A, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    }
    return NULL;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, popper, NULL);
    pthread_create(&u, NULL, recycler, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(!(b_taken && top == B)); //~ BUG(assertion)
    return 0;
}
