// What C says of pointers: the checksum is what two compilers compute.
#include <assert.h>
#include <stddef.h>

struct cell { int value; struct cell *next, **back; };
static unsigned checksum(void)
{
    struct cell cells[6] = {{0}};
    struct cell *head = 0;
    for (int i = 0; i < 6; i++) {
        cells[i].value = i * i - 3;
        cells[i].next = head;
        if (head)
            head->back = &cells[i].next;
        head = &cells[i];
    }
    unsigned sum = 5;
    for (struct cell *c = head; c; c = c->next)
        sum = sum * 29 + (unsigned)c->value;
    for (struct cell *c = cells; c->back; c = (struct cell *)((char *)c->back - offsetof(struct cell, next)))
        sum = sum * 23 ^ (unsigned)(c - cells) ^ (unsigned)c->value;
    return sum;
}

int main(void)
{
    assert(checksum() == 3977507155u);
    return 0;
}
