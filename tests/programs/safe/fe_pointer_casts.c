// Pointers cast to integers and back, pointer differences and container_of.
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

struct node { int key; struct { int a; int b; } link; };

int main(void)
{
    struct node n = {1, {2, 3}};
    int *b = &n.link.b;
    struct node *back = (struct node *)((char *)b - offsetof(struct node, link.b));
    assert(back == &n && back->key == 1);

    uintptr_t bits = (uintptr_t)b;
    assert(bits % sizeof(int) == 0);
    int *tagged = (int *)(bits | 1);
    assert(*(int *)((uintptr_t)tagged & ~(uintptr_t)1) == 3);

    int array[8];
    assert(&array[6] - &array[2] == 4);
    assert(&array[6] > &array[2]);
    return 0;
}
