// sleave: --property assertion
// What comes after a walk along a list depends on whether the list has an end, which another thread takes away.
#include <assert.h>
#include <pthread.h>

struct node {
    struct node *next;
};

static struct node first;
static int reached;

static void *bend(void *arg)
{
    first.next = &first;
    return arg;
}

static void *walk(void *arg)
{
    for (struct node *at = &first; at; at = at->next)
        ;
    assert(reached); //~ BUG(assertion)
    return arg;
}

int main(void)
{
    pthread_t bends, walks;
    pthread_create(&bends, NULL, bend, NULL);
    pthread_create(&walks, NULL, walk, NULL);
    pthread_join(bends, NULL);
    pthread_join(walks, NULL);
    return 0;
}
