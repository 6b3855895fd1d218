// sleave: --property race
// expect: safe
// The read of `x` in a round that came to nothing comes before the write, which happens only because the loop was left.
#include <pthread.h>
#include <stdatomic.h>

int x;
atomic_int flag, left;

void *watch(void *unused) {
    while (!atomic_load(&flag)) {
        int seen = x;
        (void)seen;
    }
    atomic_store_explicit(&left, 1, memory_order_release);
    return unused;
}

void *change(void *unused) {
    if (atomic_load_explicit(&left, memory_order_acquire))
        x = 1;
    return unused;
}

int main(void) {
    pthread_t watcher, changer;
    pthread_create(&watcher, 0, watch, 0);
    pthread_create(&changer, 0, change, 0);
    atomic_store(&flag, 1);
    pthread_join(watcher, 0);
    pthread_join(changer, 0);
    return 0;
}
