// sleave: --run 'allocate(p)' --run 'churn(p)' --before '__VERIFIER_assume(is_pool(p))' --after 'check(p)'
// A pool of free blocks, popped by compare and swap. The other thread takes two blocks and gives
// the first one back: then the pool begins as before and goes on otherwise (ABA), and the second
// block is free and used at once.
// Shape: p -> {free -> A {next -> B}}
// Schedule: the other thread comes between the reading of A's next and the swap.
// expect: bug (assertion)
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

void __VERIFIER_assume(int);

struct block {
    bool used;
    struct block *next;
};

struct pool {
    struct block *free;
};

/* At most three blocks, none used. */
bool is_pool(struct pool *p)
{
    if (p == NULL)
        return false;
    struct block *b = p->free;
    for (int k = 0; b != NULL && k < 3; k++) {
        if (b->used)
            return false;
        b = b->next;
    }
    return b == NULL;
}

struct block *allocate(struct pool *p)
{
    struct block *b = __atomic_load_n(&p->free, __ATOMIC_SEQ_CST);
    while (b != NULL) {
        struct block *next = b->next;
        if (__atomic_compare_exchange_n(&p->free, &b, next, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST)) {
            b->used = true;
            return b;
        }
    }
    return NULL;
}

static void give_back(struct pool *p, struct block *b)
{
    b->used = false;
    struct block *head = __atomic_load_n(&p->free, __ATOMIC_SEQ_CST);
    do
        b->next = head;
    while (!__atomic_compare_exchange_n(&p->free, &head, b, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST));
}

void churn(struct pool *p)
{
    struct block *first = allocate(p);
    allocate(p);
    if (first != NULL)
        give_back(p, first);
}

void check(struct pool *p)
{
    assert(p->free == NULL || !p->free->used); //~ BUG(assertion)
}
