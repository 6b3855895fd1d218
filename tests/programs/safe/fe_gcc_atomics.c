// Every __atomic_* builtin, on several widths.
#include <assert.h>

int main(void)
{
    long v = 5, out, in = 20, expected = 20;
    __atomic_store_n(&v, 10, __ATOMIC_RELEASE);
    assert(__atomic_load_n(&v, __ATOMIC_ACQUIRE) == 10);
    __atomic_exchange(&v, &in, &out, __ATOMIC_SEQ_CST);
    assert(out == 10 && v == 20);
    assert(__atomic_compare_exchange_n(&v, &expected, 21, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    assert(!__atomic_compare_exchange_n(&v, &expected, 22, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    assert(expected == 21);
    assert(__atomic_add_fetch(&v, 4, __ATOMIC_RELAXED) == 25);
    assert(__atomic_fetch_sub(&v, 5, __ATOMIC_RELAXED) == 25);
    assert(__atomic_or_fetch(&v, 1, __ATOMIC_ACQ_REL) == 21);
    assert(__atomic_nand_fetch(&v, 1, __ATOMIC_ACQ_REL) == ~1L);
    assert(__atomic_xor_fetch(&v, v, __ATOMIC_ACQ_REL) == 0);
    unsigned char byte = 255;
    assert(__atomic_add_fetch(&byte, 1, __ATOMIC_SEQ_CST) == 0);
    _Bool lock = 0;
    assert(!__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE));
    assert(__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE));
    __atomic_clear(&lock, __ATOMIC_RELEASE);
    assert(!lock);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return 0;
}
