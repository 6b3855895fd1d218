// A stack push with a plain store instead of compare-and-swap loses a node.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node { struct node *next; };
static struct node *top;

static void *push(void *arg)
{
    struct node *n = malloc(sizeof *n);
    n->next = top;
    top = n;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int length = 0;
    pthread_create(&a, NULL, push, NULL);
    pthread_create(&b, NULL, push, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    for (struct node *n = top; n; n = n->next) length++;
    assert(length == 2); //~ BUG(assertion)
    return 0;
}
