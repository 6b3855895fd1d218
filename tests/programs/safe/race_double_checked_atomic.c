// sleave: --property race
// Double-checked locking as it should be.
#include <pthread.h>
#include <stdatomic.h>

struct thing { int value; } storage;
_Atomic(struct thing *) thing;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct thing *get(void)
{
    struct thing *found = atomic_load_explicit(&thing, memory_order_acquire);
    if (!found) {
        pthread_mutex_lock(&lock);
        found = atomic_load_explicit(&thing, memory_order_relaxed);
        if (!found) {
            storage.value = 42;
            found = &storage;
            atomic_store_explicit(&thing, found, memory_order_release);
        }
        pthread_mutex_unlock(&lock);
    }
    return found;
}

void *worker(void *arg)
{
    (void)arg;
    return (void *)(long)get()->value;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, worker, NULL);
    pthread_create(&second, NULL, worker, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
