// sleave: --run 'weigh(t)' --run 'report(n)'
// Nodes of a tree with a lock each. Weights are added up from a node to its left child, and
// reported from a node to its parent, each time with both locks.
// Shape: t -> {left -> n}, n -> {parent -> t}, where n is not t
// Schedule: each thread has the lock of the node that it starts from.
// expect: bug (deadlock)
#include <pthread.h>
#include <stddef.h>

struct node {
    pthread_mutex_t lock;
    int weight;
    struct node *parent, *left, *right;
};

static void add(struct node *to, struct node *from)
{
    pthread_mutex_lock(&to->lock);
    pthread_mutex_lock(&from->lock); //~ BUG(deadlock)
    to->weight = (int)((unsigned)to->weight + (unsigned)from->weight);
    pthread_mutex_unlock(&from->lock);
    pthread_mutex_unlock(&to->lock);
}

void weigh(struct node *n)
{
    if (n == NULL || n->left == NULL || n->left == n)
        return;
    add(n, n->left);
}

void report(struct node *n)
{
    if (n == NULL || n->parent == NULL || n->parent == n)
        return;
    add(n, n->parent);
}
