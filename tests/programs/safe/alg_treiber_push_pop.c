// One thread pushes, the other pops if it can; what is popped was pushed, and nothing is lost.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
extern void __VERIFIER_assume(int);

struct node { int value; struct node *next; };
static struct node bottom = {1, NULL}, extra = {2, NULL};
static struct node *top = &bottom;

static void *push(void *arg)
{
    struct node *old = __atomic_load_n(&top, __ATOMIC_ACQUIRE);
    extra.next = old;
    __VERIFIER_assume(__atomic_compare_exchange_n(&top, &old, &extra, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return NULL;
}

static void *pop(void *arg)
{
    struct node *old = __atomic_load_n(&top, __ATOMIC_ACQUIRE);
    if (!old) return NULL;
    struct node *next = old->next;
    __VERIFIER_assume(__atomic_compare_exchange_n(&top, &old, next, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return old;
}

int main(void)
{
    pthread_t a, b;
    void *popped;
    pthread_create(&a, NULL, push, NULL);
    pthread_create(&b, NULL, pop, NULL);
    pthread_join(a, NULL);
    pthread_join(b, &popped);
    assert(popped == &bottom || popped == &extra);
    assert(top == (popped == &bottom ? &extra : &bottom));
    assert(top->next == NULL);
    return 0;
}
