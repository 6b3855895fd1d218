#include <stdatomic.h>
atomic_int a; _Atomic(long) b; int *_Atomic p;
int f(int v) { int e = 3; atomic_compare_exchange_weak(&a, &e, v); atomic_thread_fence(memory_order_seq_cst); return atomic_fetch_add(&a, v) + (int)atomic_exchange(&b, 7) + (atomic_load(&p) != 0); }
