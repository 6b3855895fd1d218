// sleave: --run 'detach(t)' --run 'uncle(t)'
// Nodes of a tree know their parents. One thread cuts a node off; the other one looks for the uncle
// of the same node, and reads the parent once more when it has seen that there is a grandparent.
// Shape: t -> {parent -> P {parent -> G}}
// Schedule: the node is cut off after its grandparent was seen.
// expect: bug (memory): a null pointer is read through
#include <stddef.h>

struct node {
    struct node *parent;
    struct node *child[2];
};

void detach(struct node *n)
{
    if (n == NULL || n->parent == NULL)
        return;
    struct node *parent = n->parent;
    for (int side = 0; side < 2; side++)
        if (parent->child[side] == n)
            parent->child[side] = NULL;
    n->parent = NULL;
}

struct node *uncle(struct node *n)
{
    if (n == NULL)
        return NULL;
    struct node *parent = n->parent;
    if (parent == NULL || parent->parent == NULL)
        return NULL;
    struct node *grandparent = n->parent->parent; //~ BUG(memory)
    if (grandparent == NULL)
        return NULL;
    return grandparent->child[grandparent->child[0] == parent];
}
