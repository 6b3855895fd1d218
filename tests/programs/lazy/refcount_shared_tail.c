// sleave: --run 'drop(a)' --run 'drop(b)' --before '__VERIFIER_assume(are_counted(a, b))'
// Handles count the references to what they hold. The count is decremented and compared in two
// steps: both threads may find zero.
// Shape: a -> {held -> N {references = 2}}, b -> {held -> N}, where a is not b
// Schedule: both threads decrement before either of them compares.
// expect: bug (memory): freed twice, or used when it was freed
#include <stdbool.h>
#include <stdlib.h>

void __VERIFIER_assume(int);

struct node {
    int references;
};

struct handle {
    struct node *held;
};

/* The count is right: nobody else holds anything. */
bool are_counted(struct handle *a, struct handle *b)
{
    if (a == NULL || b == NULL || a == b)
        return false;
    int references = a->held == b->held ? 2 : 1;
    return (a->held == NULL || a->held->references == references) &&
           (b->held == NULL || b->held->references == references);
}

void drop(struct handle *h)
{
    struct node *n = h->held;
    if (n == NULL)
        return;
    h->held = NULL;
    __atomic_fetch_sub(&n->references, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&n->references, __ATOMIC_SEQ_CST) == 0) //~ BUG(memory)
        free(n); //~ BUG(memory)
}
