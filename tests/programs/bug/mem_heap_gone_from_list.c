// A list is freed by following `next` of nodes that are already freed.
#include <stdlib.h>

struct node { struct node *next; };

int main(void)
{
    struct node *list = malloc(sizeof *list);
    list->next = malloc(sizeof *list);
    list->next->next = NULL;
    for (struct node *n = list; n; n = n->next) //~ BUG(memory)
        free(n);
    return 0;
}
