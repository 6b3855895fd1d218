// sleave: --run 'run_first(p)' --run 'run_first(q)' --before '__VERIFIER_assume(is_fresh(p) && is_fresh(q))'
// Jobs are linked in themselves. A queue claims its first job and runs it; each queue has a lock of
// its own, which is no help when one job is the first of two queues.
// Shape: p -> {first -> A}, q -> {first -> A}, where p is not q
// Schedule: both threads see that A is not claimed.
// expect: bug (assertion): A runs twice
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

void __VERIFIER_assume(int);

struct job {
    bool claimed;
    unsigned runs;
    struct job *next;
};

struct queue {
    pthread_mutex_t lock;
    struct job *first;
};

/* Its first job is still to be run. */
bool is_fresh(struct queue *q)
{
    return q != NULL && (q->first == NULL || (!q->first->claimed && q->first->runs == 0));
}

void run_first(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    struct job *j = q->first;
    if (j != NULL && !j->claimed) {
        j->claimed = true;
        q->first = j->next;
        unsigned runs = __atomic_add_fetch(&j->runs, 1, __ATOMIC_SEQ_CST);
        assert(runs == 1); //~ BUG(assertion)
    }
    pthread_mutex_unlock(&q->lock);
}
