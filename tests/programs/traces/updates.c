// N threads update one variable atomically, each in its own way if FORM says so, and nobody uses the old value.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif
#ifndef FORM
#define FORM 0
#endif

static atomic_int x;
static int y;

static int next(void) { return atomic_fetch_add(&x, 1); }
static int next_but_one(void) { return next() + 1; }

static void *thread(void *argument) {
    switch (FORM) {
    case 0: atomic_fetch_add(&x, 1); break;
    case 1: x++; break;
    case 2: x += 1; break;
    case 3: atomic_fetch_sub_explicit(&x, -1, memory_order_relaxed); break;
    case 4: __sync_fetch_and_add(&y, 1); break;
    case 5: __sync_add_and_fetch(&y, 1); break;
    case 6: __atomic_add_fetch(&y, 1, __ATOMIC_SEQ_CST); break;
    case 7: (void)next_but_one(); break;
    case 8: atomic_fetch_or(&x, 1 << (long)argument); break;
    case 9: atomic_fetch_xor(&x, 1 << (long)argument); break;
    case 10: if ((long)argument % 2) x++; else --x; break;
    case 11: __asm__ volatile("lock addl $1, %0" : "+m"(y)); break;
    // These are not independent: the old value is used, or the order counts.
    case 20: if (atomic_fetch_add(&x, 1) == N) y = 1; break;
    case 21: if (next() == N) y = 1; break;
    case 22: if ((long)argument % 2) atomic_fetch_or(&x, 1); else atomic_fetch_add(&x, 1); break;
    case 23: atomic_exchange(&x, 1); break;
    }
    return 0;
}

int main(void) {
    pthread_t t[N];
    for (long i = 0; i < N; i++) pthread_create(&t[i], 0, thread, (void *)i);
    for (long i = 0; i < N; i++) pthread_join(t[i], 0);
    if (FORM < 8) assert(x + y == N);
    return 0;
}
