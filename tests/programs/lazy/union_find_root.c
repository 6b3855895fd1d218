// sleave: --run 'unite(a, b)' --run 'find(a)' --before '__VERIFIER_assume(is_forest(a, b))'
// Sets as trees in which every node knows its parent, and a root is its own. A root that gets a
// parent has none for a moment.
// Shape: a -> {parent -> a}, b -> {parent -> b}; or, instead of each, one step below such a root
// Schedule: the root of `a` is looked for while it has no parent.
// expect: bug (memory): a null pointer is read through
#include <stdbool.h>
#include <stddef.h>

void __VERIFIER_assume(int);

struct node {
    struct node *parent;
};

/* A root or the child of one. */
static bool is_shallow(struct node *n)
{
    return n != NULL && n->parent != NULL && n->parent->parent == n->parent;
}

bool is_forest(struct node *a, struct node *b)
{
    return is_shallow(a) && is_shallow(b);
}

struct node *find(struct node *n)
{
    while (n->parent != n) //~ BUG(memory)
        n = n->parent;
    return n;
}

void unite(struct node *a, struct node *b)
{
    struct node *of_a = find(a), *of_b = find(b);
    if (of_a == of_b)
        return;
    of_a->parent = NULL;
    of_a->parent = of_b;
}
