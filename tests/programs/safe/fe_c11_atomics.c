// Every C11 operation of stdatomic.h, one after the other.
#include <assert.h>
#include <stdatomic.h>

int main(void)
{
    atomic_int a = ATOMIC_VAR_INIT(5);
    assert(atomic_load(&a) == 5);
    atomic_store_explicit(&a, 6, memory_order_release);
    assert(atomic_exchange(&a, 7) == 6);
    assert(atomic_fetch_add(&a, 3) == 7);
    assert(atomic_fetch_sub(&a, 1) == 10);
    assert(atomic_fetch_or(&a, 6) == 9);
    assert(atomic_fetch_and(&a, 12) == 15);
    assert(atomic_fetch_xor(&a, 4) == 12);
    assert(atomic_load_explicit(&a, memory_order_acquire) == 8);
    int expected = 1;
    assert(!atomic_compare_exchange_strong(&a, &expected, 9));
    assert(expected == 8);
    assert(atomic_compare_exchange_strong(&a, &expected, 9));
    assert(a == 9);
    a += 2;
    a++;
    assert(a-- == 12);
    atomic_flag f = ATOMIC_FLAG_INIT;
    assert(!atomic_flag_test_and_set(&f));
    assert(atomic_flag_test_and_set(&f));
    atomic_flag_clear(&f);
    atomic_thread_fence(memory_order_seq_cst);
    atomic_signal_fence(memory_order_acq_rel);
    _Atomic(char *) p = "ab";
    p++;
    assert(*p == 'b');
    return 0;
}
