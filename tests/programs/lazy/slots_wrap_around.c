// sleave: --run 'take(r)' --run 'take(r)' --before '__VERIFIER_assume(is_ring(r))'
// A ring buffer of pointers. A taker claims a slot by moving the head on, atomically; but where the
// head wraps around, it is set.
// Shape: r -> {slot[2] -> A}, with the head at 2
// Schedule: both threads see the head at 2.
// expect: bug (memory): freed twice
#include <stdbool.h>
#include <stdlib.h>

void __VERIFIER_assume(int);

struct item {
    int value;
};

enum { SLOTS = 3 };

struct ring {
    unsigned head;
    struct item *slot[SLOTS];
};

/* No item is in two slots. */
bool is_ring(struct ring *r)
{
    if (r == NULL || r->head >= SLOTS)
        return false;
    for (int i = 0; i < SLOTS; i++)
        for (int j = 0; j < i; j++)
            if (r->slot[i] != NULL && r->slot[i] == r->slot[j])
                return false;
    return true;
}

void take(struct ring *r)
{
    unsigned head = __atomic_load_n(&r->head, __ATOMIC_SEQ_CST);
    if (head == SLOTS - 1)
        __atomic_store_n(&r->head, 0, __ATOMIC_SEQ_CST);
    else if (!__atomic_compare_exchange_n(&r->head, &head, head + 1, false, __ATOMIC_SEQ_CST,
                                          __ATOMIC_SEQ_CST))
        return;
    struct item *mine = r->slot[head];
    if (mine != NULL && mine->value >= 0) //~ BUG(memory)
        free(mine); //~ BUG(memory)
}
