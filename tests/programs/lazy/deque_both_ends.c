// sleave: --run 'pop_front(d)' --run 'pop_back(d)' --before '__VERIFIER_assume(is_deque(d))'
// A deque with a lock for each end, which is enough for two nodes or more. A single node is at both
// ends: both threads take it, and both free it.
// Shape: d -> {first -> A {next -> null, previous -> null}, last -> A}
// Schedule: both threads look at their end before the other has taken the node away.
// expect: bug (memory): freed twice, or used when it was freed
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

void __VERIFIER_assume(int);

struct node {
    struct node *next, *previous;
};

struct deque {
    struct node *first, *last;
};

static pthread_mutex_t front = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t back = PTHREAD_MUTEX_INITIALIZER;

/* At most three nodes, linked both ways. */
bool is_deque(struct deque *d)
{
    if (d == NULL)
        return false;
    struct node *before = NULL, *n = d->first;
    for (int k = 0; n != NULL && k < 3; k++) {
        if (n->previous != before)
            return false;
        before = n;
        n = n->next;
    }
    return n == NULL && d->last == before;
}

void pop_front(struct deque *d)
{
    pthread_mutex_lock(&front);
    struct node *n = d->first;
    if (n != NULL) {
        d->first = n->next; //~ BUG(memory)
        if (n->next != NULL) //~ BUG(memory)
            n->next->previous = NULL;
        else
            d->last = NULL;
        free(n); //~ BUG(memory)
    }
    pthread_mutex_unlock(&front);
}

void pop_back(struct deque *d)
{
    pthread_mutex_lock(&back);
    struct node *n = d->last;
    if (n != NULL) {
        d->last = n->previous; //~ BUG(memory)
        if (n->previous != NULL) //~ BUG(memory)
            n->previous->next = NULL;
        else
            d->first = NULL;
        free(n); //~ BUG(memory)
    }
    pthread_mutex_unlock(&back);
}
