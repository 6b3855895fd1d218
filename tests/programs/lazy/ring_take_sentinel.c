// sleave: --run 'take(r)' --run 'take(r)' --before '__VERIFIER_assume(is_ring(r))'
// A ring with a sentinel, which is empty when the sentinel is alone. Two threads see that it is not
// empty and take a node each. If there was one, the second thread takes the sentinel.
// Shape: r -> {next -> A {next -> r, previous -> r}, previous -> A}
// Schedule: one thread takes A after the other has seen that the ring is not empty.
// expect: bug (assertion)
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

void __VERIFIER_assume(int);

struct link {
    struct link *next, *previous;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* At most two nodes beside the sentinel, linked both ways. */
bool is_ring(struct link *r)
{
    if (r == NULL)
        return false;
    struct link *n = r;
    for (int k = 0; k < 3; k++) {
        if (n->next == NULL || n->next->previous != n)
            return false;
        n = n->next;
        if (n == r)
            return true;
    }
    return false;
}

void take(struct link *r)
{
    if (r->next == r)
        return;
    pthread_mutex_lock(&lock);
    struct link *first = r->next;
    assert(first != r); //~ BUG(assertion)
    first->previous->next = first->next;
    first->next->previous = first->previous;
    pthread_mutex_unlock(&lock);
}
