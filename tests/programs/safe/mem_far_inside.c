// Addresses are computed far away from where they started, and stay inside; others are outside, and nobody accesses them.
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

struct inner {
    int value;
};
struct outer {
    char name[300];
    struct inner inner;
};

extern unsigned __VERIFIER_nondet_uint(void);

int global[1000];
char beside[4000];

int main(void) {
    struct outer *outer = malloc(sizeof *outer);
    struct inner *inner = &outer->inner;
    inner->value = 1;
    struct outer *found = (struct outer *)((char *)inner - offsetof(struct outer, inner));
    found->name[0] = 2;
    assert(found == outer && outer->inner.value == 1);

    int *end = global + 1000;
    end[-1000] = 3;
    assert(global[0] == 3);
    unsigned i = __VERIFIER_nondet_uint();
    if (i < 1000) {
        end[-1 - (int)i] = 4;
        assert(global[999 - i] == 4);
    }

    int *behind = global + 1500;
    char *other = beside;
    assert((char *)behind != other - 1 && behind > global);

    int grid[20][30];
    for (int row = 0; row < 20; row++)
        grid[row][29 - row] = row;
    assert(grid[7][22] == 7);
    free(outer);
    return 0;
}
