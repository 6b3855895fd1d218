// Two heap objects that two threads have made at one place have two names.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static _Atomic(struct node *) head;

static void *push(void *arg)
{
    struct node *node = malloc(sizeof *node);
    node->value = *(int *)arg;
    node->next = head;
    head = node;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    static int values[2] = {1, 2};
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, push, &values[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(head->next); //~ BUG(assertion)
    return 0;
}
