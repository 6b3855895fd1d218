// Two threads push onto a lock-free stack; a failed compare-and-swap is assumed away.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
extern void __VERIFIER_assume(int);

struct node { int value; struct node *next; };
static struct node *top;

static void *push(void *arg)
{
    struct node *n = malloc(sizeof *n);
    n->value = (int)(long)arg;
    n->next = __atomic_load_n(&top, __ATOMIC_ACQUIRE);
    struct node *expected = n->next;
    __VERIFIER_assume(__atomic_compare_exchange_n(&top, &expected, n, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, push, (void *)1);
    pthread_create(&b, NULL, push, (void *)2);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(top && top->next && !top->next->next);
    assert(top->value + top->next->value == 3);
    return 0;
}
