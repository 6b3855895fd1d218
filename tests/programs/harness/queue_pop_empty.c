// sleave: --run 'pop(q)' --run 'pop(q)'
// expect: bug (memory)
// Whether the queue is empty is looked at before it is locked.
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

struct queue {
    struct node *head, *tail;
    unsigned size;
    pthread_mutex_t lock;
};

int pop(struct queue *q)
{
    if (!q || !q->head)
        return -1;
    pthread_mutex_lock(&q->lock);
    struct node *n = q->head;
    q->head = n->next;
    if (!q->head)
        q->tail = NULL;
    q->size--;
    int value = n->value;
    pthread_mutex_unlock(&q->lock);
    free(n);
    return value;
}
