// sleave: --run 'move(t, 0, 1)' --run 'move(t, 1, 0)'
// A hash table with a lock for each bucket. An entry is moved from one bucket to another under both
// locks, the source's first; if there is nothing to move, the second is not taken.
// Shape: t -> {bucket[0] -> A, bucket[1] -> B}, where neither is null
// Schedule: each thread has the lock of its source.
// expect: bug (deadlock)
#include <pthread.h>
#include <stddef.h>

struct entry {
    int key;
    struct entry *next;
};

struct table {
    struct entry *bucket[2];
};

static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

void move(struct table *t, int from, int to)
{
    if (t == NULL)
        return;
    pthread_mutex_lock(&lock[from]);
    struct entry *e = t->bucket[from];
    if (e != NULL) {
        pthread_mutex_lock(&lock[to]); //~ BUG(deadlock)
        t->bucket[from] = e->next;
        e->next = t->bucket[to];
        t->bucket[to] = e;
        pthread_mutex_unlock(&lock[to]);
    }
    pthread_mutex_unlock(&lock[from]);
}
