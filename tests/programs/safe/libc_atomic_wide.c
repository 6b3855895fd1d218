// Atomic objects of 16 bytes, and of sizes that no instruction has.
#include <assert.h>
#include <stdatomic.h>

struct pair {
    long a, b;
};
struct three {
    char x[3];
};

static _Atomic struct pair pair;
static _Atomic struct three three;

int main(void)
{
    struct pair one = {1, 2}, expected = {9, 9};
    pair = one;
    struct pair seen = pair;
    assert(seen.a == 1 && seen.b == 2);
    assert(!atomic_compare_exchange_strong(&pair, &expected, one));
    assert(expected.a == 1 && expected.b == 2);
    struct three letters = {{1, 2, 3}};
    three = letters;
    struct three read = three;
    assert(read.x[2] == 3);
    __int128 wide = 5;
    assert(__sync_val_compare_and_swap(&wide, 5, 7) == 5 && wide == 7);
    assert(__sync_fetch_and_add(&wide, 1) == 7 && wide == 8);
}
