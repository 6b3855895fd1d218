// sleave: --run 'append(a, b)' --run 'append(b, a)' --before '__VERIFIER_assume(are_apart(a, b))' --after 'check(a)'
// Each thread appends the other's list to its own: it looks for the end of its own list and links
// it to the start of the other one. One after the other, the second finds that its own list ends
// where the other one does.
// Shape: a -> {head -> A {next -> null}}, b -> {head -> B {next -> null}}, or longer, without a
// node that is in both
// Schedule: both ends are found before one of them is linked.
// expect: bug (assertion)
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

void __VERIFIER_assume(int);

struct node {
    struct node *next;
};

struct list {
    struct node *head;
};

/* Null, if there is no end within so many nodes; also if there are none. */
static struct node *end_of(struct list *l, int nodes)
{
    struct node *n = l->head;
    for (int k = 1; n != NULL && n->next != NULL; k++) {
        if (k == nodes)
            return NULL;
        n = n->next;
    }
    return n;
}

/* Two lists of at most two nodes each, neither empty, with different ends. */
bool are_apart(struct list *a, struct list *b)
{
    if (a == NULL || b == NULL)
        return false;
    struct node *of_a = end_of(a, 2), *of_b = end_of(b, 2);
    return of_a != NULL && of_b != NULL && of_a != of_b;
}

void append(struct list *to, struct list *from)
{
    struct node *end = end_of(to, 4);
    if (end == NULL || end == end_of(from, 4))
        return;
    end->next = from->head;
}

void check(struct list *l)
{
    assert(end_of(l, 4) != NULL); //~ BUG(assertion)
}
