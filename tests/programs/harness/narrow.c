// sleave: --run 'shorten(l, t)' --run 'shorten(l, t)' --depth 2 -- -m32
// expect: safe
// What is made up is said. Pointers have four bytes.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct list {
    struct list *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void shorten(struct list *l, char *t)
{
    assert(sizeof l == 4);
    if (!l)
        return;
    pthread_mutex_lock(&lock);
    if (l->next)
        l->next = l->next->next;
    if (t)
        t[0] = 0;
    pthread_mutex_unlock(&lock);
}
