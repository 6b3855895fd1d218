// sleave: --run 'pop(s)' --run 'pop(s)' --before '__VERIFIER_assume(is_list(s))'
// A stack whose pop looks and takes in two steps. Only the last node can be gone in between: with
// two nodes each thread finds one.
// Shape: s -> {head -> A {next -> null}}
// Schedule: one thread has seen that there is a node, and the other takes it.
// expect: bug (memory): a null pointer is read through
#include <stdbool.h>
#include <stddef.h>

void __VERIFIER_assume(int);

struct node {
    int value;
    struct node *next;
};

struct stack {
    struct node *head;
};

/* At most three nodes, and an end. */
bool is_list(struct stack *s)
{
    if (s == NULL)
        return false;
    int length = 0;
    struct node *n = s->head;
    while (n != NULL && length < 3) {
        n = n->next;
        length++;
    }
    return n == NULL;
}

int pop(struct stack *s)
{
    if (s->head == NULL)
        return -1;
    struct node *top = s->head;
    s->head = top->next; //~ BUG(memory)
    return top->value;
}
