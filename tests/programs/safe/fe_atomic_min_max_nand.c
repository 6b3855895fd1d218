// Atomic minimum and maximum (a clang builtin) and a 64-bit compare-and-swap loop.
#include <assert.h>
#include <stdint.h>

int main(void)
{
    int v = -3;
    unsigned u = 3;
    assert(__atomic_fetch_max(&v, 2, __ATOMIC_SEQ_CST) == -3);
    assert(__atomic_fetch_min(&v, -9, __ATOMIC_SEQ_CST) == 2);
    assert(__atomic_fetch_max(&u, 0xfffffff0u, __ATOMIC_SEQ_CST) == 3);
    assert(v == -9 && u == 0xfffffff0u);

    uint64_t total = 40, seen = __atomic_load_n(&total, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&total, &seen, seen + 2, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        ;
    assert(total == 42);
    return 0;
}
