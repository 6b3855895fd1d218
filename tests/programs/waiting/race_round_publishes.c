// sleave: --property race
// expect: bug (race)
// A round stores what is there already. Who reads that store does not come after the one that wrote the value first.
#include <pthread.h>
#include <stdatomic.h>

int x;
atomic_int flag, ready, left;

void *repeat(void *unused) {
    while (!atomic_load(&flag))
        if (atomic_load_explicit(&ready, memory_order_relaxed))
            atomic_store(&ready, 1);
    atomic_store(&left, 1);
    return unused;
}

void *produce(void *unused) {
    x = 1;
    atomic_store(&ready, 1);
    return unused;
}

void *consume(void *unused) {
    if (atomic_load(&left) && atomic_load(&ready)) {
        int seen = x;
        (void)seen;
    }
    return unused;
}

int main(void) {
    pthread_t repeater, producer, consumer;
    pthread_create(&repeater, 0, repeat, 0);
    pthread_create(&producer, 0, produce, 0);
    pthread_create(&consumer, 0, consume, 0);
    atomic_store(&flag, 1);
    pthread_join(repeater, 0);
    pthread_join(producer, 0);
    pthread_join(consumer, 0);
    return 0;
}
