// Room for a pointer is asked for, not for what it points to. The last field lies in the next block.
#include <stdlib.h>

struct node {
    char name[200];
    int value;
};

int main(void) {
    struct node *node = malloc(sizeof node);
    char *next = malloc(1000);
    node->value = 1; //~ BUG(memory)
    free(next);
    free(node);
    return 0;
}
