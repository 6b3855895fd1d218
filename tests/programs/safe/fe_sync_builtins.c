// Every old-style __sync_* builtin.
#include <assert.h>

int main(void)
{
    int v = 1;
    assert(__sync_fetch_and_add(&v, 4) == 1);
    assert(__sync_sub_and_fetch(&v, 2) == 3);
    assert(__sync_or_and_fetch(&v, 8) == 11);
    assert(__sync_fetch_and_and(&v, 9) == 11);
    assert(__sync_xor_and_fetch(&v, 1) == 8);
    assert(__sync_nand_and_fetch(&v, 8) == ~8);
    v = 8;
    assert(__sync_bool_compare_and_swap(&v, 8, 7));
    assert(!__sync_bool_compare_and_swap(&v, 8, 6));
    assert(__sync_val_compare_and_swap(&v, 7, 5) == 7);
    assert(__sync_lock_test_and_set(&v, 1) == 5);
    __sync_lock_release(&v);
    __sync_synchronize();
    assert(v == 0);
    return 0;
}
