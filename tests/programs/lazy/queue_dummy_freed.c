// sleave: --run 'enqueue(q, n)' --run 'dequeue(q)' --before '__VERIFIER_assume(is_queue(q, n))'
// A queue with a node in front that holds nothing, and a lock for each end. The dequeuer frees that
// node; the enqueuer goes on from it when it is the last one too.
// Shape: q -> {head -> D {next -> null}, tail -> D}, n another node
// Schedule: the new node is linked, and D is freed before the tail has moved on.
// expect: bug (memory): used when it was freed
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

void __VERIFIER_assume(int);

struct node {
    struct node *next;
};

struct queue {
    struct node *head, *tail;
};

static pthread_mutex_t front = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t back = PTHREAD_MUTEX_INITIALIZER;

/* At most one element, and `n` is no part of it. */
bool is_queue(struct queue *q, struct node *n)
{
    if (q == NULL || n == NULL || q->head == NULL || q->tail == NULL)
        return false;
    struct node *last = q->head == q->tail ? q->head : q->head->next;
    return last == q->tail && last->next == NULL && n != q->head && n != q->tail;
}

void enqueue(struct queue *q, struct node *n)
{
    n->next = NULL;
    pthread_mutex_lock(&back);
    q->tail->next = n;
    q->tail = q->tail->next; //~ BUG(memory)
    pthread_mutex_unlock(&back);
}

void dequeue(struct queue *q)
{
    pthread_mutex_lock(&front);
    struct node *empty = q->head;
    struct node *next = __atomic_load_n(&empty->next, __ATOMIC_SEQ_CST);
    if (next != NULL) {
        q->head = next;
        free(empty);
    }
    pthread_mutex_unlock(&front);
}
