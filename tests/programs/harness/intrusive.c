// sleave: --run 'claim(q)' --run 'claim(q)'
// expect: bug (assertion)
// Links are members of what is linked, and of the queue itself.
#include <assert.h>
#include <stddef.h>

struct link {
    struct link *next;
};

struct item {
    int claimed;
    struct link link;
};

struct queue {
    struct link all;
};

void claim(struct queue *q)
{
    if (!q || !q->all.next || q->all.next == &q->all)
        return;
    struct item *item = (struct item *)((char *)q->all.next - offsetof(struct item, link));
    if (item->claimed)
        return;
    item->claimed++;
    assert(item->claimed == 1);
}
