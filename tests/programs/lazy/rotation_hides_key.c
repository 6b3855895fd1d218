// sleave: --run 'rotate_right(t)' --run 'check(t, key)' --before '__VERIFIER_assume(has(t, key, 3))'
// A search tree is rotated while it is searched. The root's left child becomes the root; its right
// child changes sides and is nowhere for a moment, and then the left child is.
// Shape: t -> {root -> R {left -> L {right -> M}}}, with L's key < M's key < R's key, and `key` one
// of the first two
// Schedule: the search comes in the middle of the rotation.
// expect: bug (assertion)
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

void __VERIFIER_assume(int);

struct node {
    int key;
    struct node *left, *right;
};

struct tree {
    struct node *root;
};

/* Whether the key is found within so many nodes. */
bool has(struct tree *t, int key, int nodes)
{
    struct node *n = t == NULL ? NULL : t->root;
    for (int k = 0; n != NULL && k < nodes; k++) {
        if (n->key == key)
            return true;
        n = key < n->key ? n->left : n->right;
    }
    return false;
}

void rotate_right(struct tree *t)
{
    struct node *root = t->root, *left = root->left;
    if (left == NULL || left == root || left->right == root || left->right == left)
        return;
    /* Whatever hangs below keeps its place in the order. */
    if (left->key >= root->key)
        return;
    struct node *middle = left->right;
    if (middle == NULL || middle->key <= left->key || middle->key >= root->key)
        return;
    left->right = NULL;
    root->left = middle;
    left->right = root;
    t->root = left;
}

void check(struct tree *t, int key)
{
    assert(has(t, key, 4)); //~ BUG(assertion)
}
