// sleave: --run 'touch_oldest(c)' --run 'touch_oldest(c)' --before '__VERIFIER_assume(is_cache(c))'
// A cache keeps its entries in the order in which they were used. An entry that is touched comes to
// the front, unless it is there: this is looked at before the lock is taken.
// Shape: c -> {newest -> A {older -> B}, oldest -> B {newer -> A, older -> null}}, or with a third
// entry between the two
// Schedule: both threads see that B is not the newest; the second one finds it at the front.
// expect: bug (memory): a null pointer is written through
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

void __VERIFIER_assume(int);

struct entry {
    struct entry *newer, *older;
};

struct cache {
    struct entry *newest, *oldest;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* At most three entries, linked both ways. */
bool is_cache(struct cache *c)
{
    if (c == NULL)
        return false;
    struct entry *newer = NULL, *e = c->newest;
    for (int k = 0; e != NULL && k < 3; k++) {
        if (e->newer != newer)
            return false;
        newer = e;
        e = e->older;
    }
    return e == NULL && c->oldest == newer;
}

void touch_oldest(struct cache *c)
{
    struct entry *e = c->oldest;
    if (e == NULL || e == c->newest)
        return;
    pthread_mutex_lock(&lock);
    e->newer->older = e->older; //~ BUG(memory)
    if (e->older != NULL)
        e->older->newer = e->newer;
    else
        c->oldest = e->newer;
    e->newer = NULL;
    e->older = c->newest;
    c->newest->newer = e;
    c->newest = e;
    pthread_mutex_unlock(&lock);
}
