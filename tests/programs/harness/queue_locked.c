// sleave: --run 'push(q, &n, v)' --run 'take(q)' --before '__VERIFIER_assume(q && !q->head)' --after 'assert(!q->head || q->head->value == v)'
// expect: safe
// Types by use: a pointer, a struct by value, a number. A static function is called. main is not run.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

typedef struct node {
    struct node *next;
    short value;
} node_t;

typedef struct {
    node_t *head;
    pthread_mutex_t lock;
} queue_t;

static void push(queue_t *q, node_t *n, short value)
{
    pthread_mutex_lock(&q->lock);
    n->value = value;
    n->next = q->head;
    q->head = n;
    pthread_mutex_unlock(&q->lock);
}

static node_t *take(queue_t *q)
{
    pthread_mutex_lock(&q->lock);
    node_t *n = q->head;
    if (n)
        q->head = n->next;
    pthread_mutex_unlock(&q->lock);
    return n;
}

int main(void)
{
    assert(0);
}
