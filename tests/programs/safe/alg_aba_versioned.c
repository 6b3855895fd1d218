// A version number beside the pointer makes the compare-and-swap fail where ABA would fool it.
#include <assert.h>
#include <pthread.h>

enum { NONE, A, B };
static int top = A; /* low byte: node, the rest: version */
static int next[3] = {NONE, B, NONE};
static int b_taken;

static int replace(int old, int node)
{
    int new = ((old >> 8) + 1) << 8 | node;
    return __atomic_compare_exchange_n(&top, &old, new, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static int pop(void)
{
    int old = __atomic_load_n(&top, __ATOMIC_SEQ_CST);
    if ((old & 255) == NONE) return NONE;
    return replace(old, next[old & 255]) ? old & 255 : NONE;
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
        int old = __atomic_load_n(&top, __ATOMIC_SEQ_CST);
        next[A] = old & 255;
        replace(old, A);
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
    assert(!(b_taken && (top & 255) == B));
    return 0;
}
