// sleave: --run 'sum(l)' --run 'drop_negative(l)'
// One thread adds up a list without the lock that the other holds while it takes a node out and
// frees it. It takes out the second node, if its value is negative: the first is never freed.
// Shape: l -> {head -> A {next -> B {value < 0}}}
// Schedule: the reader has gone to B when B is freed.
// expect: bug (memory): read when it was freed
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

struct list {
    struct node *head;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Of the first two. */
long sum(struct list *l)
{
    if (l == NULL || l->head == NULL)
        return 0;
    long total = l->head->value;
    struct node *second = l->head->next;
    if (second != NULL && second != l->head)
        total += second->value; //~ BUG(memory)
    return total;
}

void drop_negative(struct list *l)
{
    if (l == NULL || l->head == NULL)
        return;
    pthread_mutex_lock(&lock);
    struct node *first = l->head, *second = first->next;
    if (second != NULL && second != first && second->value < 0) {
        first->next = second->next;
        free(second);
    }
    pthread_mutex_unlock(&lock);
}
