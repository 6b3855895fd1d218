// sleave: --run 'visit(a)' --run 'visit(b)'
// Vertices of a graph have a lock each. Who visits a vertex holds it, and then the one behind its
// first edge as well.
// Shape: a -> {edge[0] -> b}, b -> {edge[0] -> a}, where a is not b
// Schedule: each thread has the lock of its own vertex.
// expect: bug (deadlock)
#include <pthread.h>
#include <stddef.h>

struct vertex {
    pthread_mutex_t lock;
    int visits;
    struct vertex *edge[2];
};

void visit(struct vertex *v)
{
    if (v == NULL)
        return;
    pthread_mutex_lock(&v->lock);
    v->visits++;
    struct vertex *next = v->edge[0];
    if (next != NULL && next != v) {
        pthread_mutex_lock(&next->lock); //~ BUG(deadlock)
        next->visits++;
        pthread_mutex_unlock(&next->lock);
    }
    pthread_mutex_unlock(&v->lock);
}
